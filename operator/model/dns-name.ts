/**
 * DNS names as Kubernetes defines them (k8s.io/apimachinery, pkg/util/validation). The patterns have no
 * anchors and no length limit, so that schemas and longer patterns can include them.
 *
 * @module
 */

/** An RFC 1123 label: lower-case letters, digits and `-`, with a letter or digit at both ends. */
export const DNS_LABEL: string = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** An RFC 1123 subdomain: labels separated by dots. */
export const DNS_SUBDOMAIN: string = `${DNS_LABEL}(\\.${DNS_LABEL})*`;

/** An RFC 1035 label: it begins with a letter. */
export const DNS_1035_LABEL: string = '[a-z]([-a-z0-9]*[a-z0-9])?';

/** The API server's messages about names that do not match. */
export const NOT_DNS_SUBDOMAIN: string = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${DNS_SUBDOMAIN}')`;
export const NOT_DNS_1035_LABEL: string = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${DNS_1035_LABEL}')`;

/** Maximum length of a label. */
export const MAX_DNS_LABEL = 63;

/** Maximum length of a subdomain. */
export const MAX_DNS_SUBDOMAIN = 253;

const LABEL = whole(DNS_LABEL);
const SUBDOMAIN = whole(DNS_SUBDOMAIN);
const LABEL_1035 = whole(DNS_1035_LABEL);

/** True for an RFC 1123 label of at most `maxLength` characters, such as the name of a namespace. */
export function isDnsLabel(text: string, maxLength: number = MAX_DNS_LABEL): boolean {
  return text.length <= maxLength && LABEL.test(text);
}

/** True for an RFC 1123 subdomain of at most 253 characters, such as the names of most objects. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= MAX_DNS_SUBDOMAIN && SUBDOMAIN.test(text);
}

/** True for an RFC 1035 label of at most 63 characters, such as the plural of a resource. */
export function isDns1035Label(text: string): boolean {
  return text.length <= MAX_DNS_LABEL && LABEL_1035.test(text);
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}
