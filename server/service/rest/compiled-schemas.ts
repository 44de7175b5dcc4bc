/**
 * Functions of this process that were compiled from schemas. Services that a process starts one after the other share them. The key is the
 * schema as JSON, because each service creates the schemas of its routes anew.
 */
export class CompiledSchemas<Compiled> {
  readonly #byJson = new Map<string, Compiled>();

  constructor(private readonly compile: (schema: object) => Compiled) {}

  /** Returns the function of a schema, which is compiled on its first use in this process. */
  get(schema: object): Compiled {
    const json = JSON.stringify(schema);
    const known = this.#byJson.get(json);
    if (known !== undefined) return known;
    const compiled = this.compile(schema);
    this.#byJson.set(json, compiled);
    return compiled;
  }
}
