import type { X509Certificate } from 'node:crypto';

/**
 * Why clients refuse the certificate of a server at `now`, as the end of a sentence that begins with "the certificate";
 * undefined when its time and its names are right. Whether its issuer is trusted is not asked.
 *
 * @param names - by which clients call the server. Each must be covered by an alternative name.
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
