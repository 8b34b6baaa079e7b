import { ConfigurationError } from '../core/errors.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DOMAIN = new RegExp(`^${LABEL}(\\.${LABEL})*$`);
const NAME = /^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$/;

/**
 * Refuses what the API server would refuse with a 422 once the first object comes: a finalizer is
 * qualified, a DNS name of at most 253 characters, a slash, and a name of at most 63.
 *
 * @throws ConfigurationError `CONFIG` that says what is wrong.
 */
export function requireFinalizerName(finalizer: string): void {
  const [domain = '', name, ...more] = finalizer.split('/');
  const isQualified = name !== undefined && more.length === 0;
  const isValid =
    isQualified &&
    domain.length <= 253 &&
    DOMAIN.test(domain) &&
    name.length <= 63 &&
    NAME.test(name);
  if (isValid) return;
  const example = 'such as example.dev/cleanup';
  throw new ConfigurationError(
    isQualified
      ? `a finalizer is a DNS name of at most 253 characters, "/", and a name of at most 63, ${example}`
      : `a finalizer must be qualified, domain/name, ${example}`,
    { context: { finalizer } },
  );
}
