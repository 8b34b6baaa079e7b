import type { X509Certificate } from 'node:crypto';

/**
 * Why clients refuse the certificate of a server at the time `now`. The result completes a sentence that
 * begins with "the certificate". Undefined if the validity period and the names are right. The issuer is not
 * checked.
 *
 * @param names - the names by which clients call the server. Each of them must match an alternative name of
 *   the certificate.
 */
export function certificateProblem(
  certificate: X509Certificate,
  names: readonly string[],
  now: Date,
): string | undefined {
  const { validFrom, validTo, subjectAltName } = certificate;
  if (now.getTime() > Date.parse(validTo)) return `has expired on ${validTo}`;
  if (now.getTime() < Date.parse(validFrom)) return `is valid from ${validFrom} on`;
  const uncovered = names.find(
    (name) => certificate.checkHost(name, { subject: 'never' }) === undefined,
  );
  if (uncovered === undefined) return undefined;
  return `is not for ${uncovered}, but for ${subjectAltName?.replaceAll('DNS:', '') ?? 'nothing'}`;
}
