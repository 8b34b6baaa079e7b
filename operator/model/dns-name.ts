/**
 * The names that Kubernetes takes from DNS (k8s.io/apimachinery, pkg/util/validation). The patterns have
 * no anchors and no limit of length, so that schemas and longer patterns can be made of them.
 *
 * @module
 */

/** A label of RFC 1123: lower-case letters, digits and `-`, with a letter or digit at both ends. */
export const DNS_LABEL: string = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** A subdomain of RFC 1123: labels with dots between them. */
export const DNS_SUBDOMAIN: string = `${DNS_LABEL}(\\.${DNS_LABEL})*`;

/** A label of RFC 1035: it begins with a letter. */
export const DNS_1035_LABEL: string = '[a-z]([-a-z0-9]*[a-z0-9])?';

/** Characters of a label, at most. */
export const MAX_DNS_LABEL = 63;

/** Characters of a subdomain, at most. */
const MAX_DNS_SUBDOMAIN = 253;

const LABEL = whole(DNS_LABEL);
const SUBDOMAIN = whole(DNS_SUBDOMAIN);
const LABEL_1035 = whole(DNS_1035_LABEL);

/** True for a label of RFC 1123 of at most `maxLength` characters; such is the name of a namespace. */
export function isDnsLabel(text: string, maxLength: number = MAX_DNS_LABEL): boolean {
  return text.length <= maxLength && LABEL.test(text);
}

/** True for a subdomain of RFC 1123 of at most 253 characters; such are the names of most objects. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= MAX_DNS_SUBDOMAIN && SUBDOMAIN.test(text);
}

/** True for a label of RFC 1035 of at most 63 characters; such is the plural of a resource. */
export function isDns1035Label(text: string): boolean {
  return text.length <= MAX_DNS_LABEL && LABEL_1035.test(text);
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}
