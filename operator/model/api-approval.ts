/**
 * Annotation of a definition in a group of the Kubernetes project: where the project has approved it, as
 * a URL, or `unapproved` and why it is there nevertheless. The API server takes none without.
 */
export const API_APPROVED: string = 'api-approved.kubernetes.io';

/** What the annotation says: where, that there is none, nothing, or something that is neither. */
type ApiApproval = 'approved' | 'unapproved' | 'missing' | 'invalid';

/** True for `k8s.io` and `kubernetes.io`, and all groups under them. */
export function needsApproval(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

/** How the API server understands the value of the annotation. */
export function approvalOf(value: string = ''): ApiApproval {
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'unapproved';
  return URL_WITH_HOST.test(value) ? 'approved' : 'invalid';
}

/** Go's `url.ParseRequestURI`, with a scheme and a host. It splits no fragment off. */
const URL_WITH_HOST: RegExp = new RegExp(
  [
    '^[a-z][-+.a-z0-9]*://',
    "(?:[-\\w.~!$&'()*+,;=:%@]*@)?", // who
    '(?=[^/?])', // a host, or at least a port
    '(?:\\[[0-9a-f:.%]*\\]|(?:[-\\w.~!$&\'()*+,;=<>"]|[^\\p{ASCII}]|%[89a-f][0-9a-f])*)',
    '(?::[0-9]*)?',
    '(?:/(?:[^?%\\p{Cc}]|%[0-9a-f]{2})*)?',
    '(?:\\?\\P{Cc}*)?$',
  ].join(''),
  'iu',
);
