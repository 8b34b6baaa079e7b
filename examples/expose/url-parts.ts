/** Longer ones are no paths, and would not fit into annotations. */
const LONGEST_PATH = 1_000;

/**
 * What may stand in a path: the characters of a URL path that mean nothing to the configuration of an
 * ingress controller, so that whoever may annotate a Service cannot write into that. Empty parts, "."
 * and "..", and a coded "/" are what the API server refuses.
 */
export function isSafePath(path: string): boolean {
  if (path.length > LONGEST_PATH) return false;
  return /^\/[A-Za-z0-9._~%@:+/-]*$/.test(path) && !/\/\/|\/\.{1,2}(\/|$)|%2f/i.test(path);
}

const LABEL = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const DNS_NAME = new RegExp(`^${LABEL}(\\.${LABEL})*$`);

/** True for what may be a host, and the name of most objects. */
export function isDnsName(text: string): boolean {
  return text.length <= 253 && DNS_NAME.test(text);
}

/** An address as it stands in a URL. */
export function inUrl(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
