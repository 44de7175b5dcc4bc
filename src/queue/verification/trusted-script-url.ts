/** The part of the Trusted Types interface that is used; TypeScript has no types for it. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** Null after the page refused the policy. Another attempt would report a violation for each file. */
let policy: ReturnType<TrustedTypes['createPolicy']> | null | undefined;

/**
 * Converts the address of our worker for pages with `require-trusted-types-for 'script'`. The policy is private to this module, which
 * passes no other address.
 * @throws TypeError if the page's `trusted-types` does not list the policy
 * @see docs/guides/content-security-policy.md
 */
export function trustedScriptUrl(address: URL): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return address.href;
  if (policy === undefined) {
    policy = null;
    policy = trustedTypes.createPolicy('svc-uploader', { createScriptURL: (url) => url });
  }
  if (policy === null) throw new TypeError('The page allows no Trusted Types policy "svc-uploader".');
  return policy.createScriptURL(address.href);
}
