/**
 * Refused whatever is accepted: subresources that open tunnels or hand out tokens, segments of dots,
 * and characters that are only there to be decoded twice.
 */
export const REJECT_PATHS: readonly string[] = [
  '^/api/v1/namespaces/[^/]+/(pods|services)/[^/]+/(exec|attach|portforward|proxy|ephemeralcontainers)(/|$)',
  '^/api/v1/nodes/[^/]+/proxy(/|$)',
  '^/api/v1/namespaces/[^/]+/serviceaccounts/[^/]+/token$',
  '/[.][.]?(/|$)',
  '[%\\\\]',
];
