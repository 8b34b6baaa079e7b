import { dnsSubdomain } from './formats.ts';
import { invalidValue, type Problem, required } from './problem.ts';

const INVALID_PATH =
  "Invalid path (regex used for validation is '[A-Za-z0-9/\\\\-._~%!$&'()*+,;=:]+')";

/** Requires a controller name like `domain/path`. */
export function domainPath(value: unknown, field: string): readonly Problem[] {
  const name = String(value ?? '');
  if (name === '') return [required(field)];
  const [domain = '', ...rest] = name.split('/');
  const path = rest.join('/');
  if (domain === '' || path === '') {
    return [invalidValue(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const isPath = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path);
  return [
    ...dnsSubdomain(domain).map((why) => invalidValue(field, domain, why)),
    ...(isPath ? [] : [invalidValue(field, path, INVALID_PATH)]),
  ];
}
