import { Resolver } from 'node:dns/promises';

/** Reads the TXT records that prove the ownership of domains. */
export class TxtRecords {
  readonly #resolver = new Resolver({ timeout: 2000, tries: 2 });

  /** @param servers `address` or `address:port`; undefined for the system's servers. */
  constructor(servers: string[] | undefined) {
    if (servers) this.#resolver.setServers(servers);
  }

  /** Reads the values of the records with a name. @returns undefined if DNS does not respond. */
  async read(name: string): Promise<string[] | undefined> {
    try {
      return (await this.#resolver.resolveTxt(name)).map((chunks) => chunks.join(''));
    } catch (cause) {
      return ['ENOTFOUND', 'ENODATA'].includes((cause as NodeJS.ErrnoException).code ?? '') ? [] : undefined;
    }
  }
}
