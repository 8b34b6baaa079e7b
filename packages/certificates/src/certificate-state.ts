import { createPrivateKey, X509Certificate } from 'node:crypto';
import { AUTHORITY_NAME } from './issue-certificate.ts';

/** The data of the Secret, decoded from base64. */
export type SecretTexts = Readonly<Record<string, string>>;

/** A serving certificate and its key. */
export interface Pair {
  readonly key: string;
  readonly certificate: string;
  /** Milliseconds since 1970. */
  readonly validFrom: number;
  readonly validUntil: number;
  /** PEM of the authority that signed the certificate. It is one of the trusted authorities. */
  readonly authority: string;
}

/** The content of the Secret. Invalid values count as missing. */
export interface CertificateState {
  /** The certificate that the gate serves. */
  readonly serving: Pair | undefined;
  /** A new certificate that is not served yet. */
  readonly next: Pair | undefined;
  /** The authorities that the API server should trust, each as PEM, oldest first. */
  readonly trusted: readonly string[];
  /** The time from which `serving` has been served: milliseconds since 1970. */
  readonly servedSince: number | undefined;
}

/** Keys of the Secret. The gate mounts the first two. */
export const KEYS = {
  certificate: 'tls.crt',
  key: 'tls.key',
  trusted: 'ca.crt',
  nextCertificate: 'next.crt',
  nextKey: 'next.key',
  /** A time in RFC 3339. */
  servedSince: 'served-since',
} as const;

/**
 * Maximum number of authorities in a bundle. Older authorities are dropped, so that the bundle
 * stays small even if the Secret is deleted often.
 */
const MOST_AUTHORITIES = 16;

/**
 * The state that the data of the Secret describes.
 *
 * @param now - milliseconds since 1970.
 */
export function certificateState(
  texts: SecretTexts,
  dnsNames: readonly string[],
  now: number,
): CertificateState {
  const trusted = authoritiesIn(texts[KEYS.trusted] ?? '', now);
  const pair = (certificate: string, key: string): Pair | undefined =>
    usablePair({ certificate: texts[certificate], key: texts[key] }, { trusted, dnsNames, now });
  const since = Date.parse(texts[KEYS.servedSince] ?? '');
  return {
    serving: pair(KEYS.certificate, KEYS.key),
    next: pair(KEYS.nextCertificate, KEYS.nextKey),
    trusted,
    servedSince: Number.isFinite(since) ? since : undefined,
  };
}

/**
 * The authorities in a bundle that this program created and that have not expired, without
 * duplicates; at most the newest 16.
 *
 * @param text - PEM certificates.
 */
export function authoritiesIn(text: string, now: number): readonly string[] {
  const found = (text.match(PEM) ?? []).flatMap((each) => {
    const certificate = certificateOf(each);
    const isOurs =
      certificate?.ca === true &&
      certificate.subject === `CN=${AUTHORITY_NAME}` &&
      certificate.validToDate.getTime() > now;
    return isOurs ? [`${each.trim()}\n`] : [];
  });
  return [...new Set(found)].slice(-MOST_AUTHORITIES);
}

/** The bundle with these authorities, as PEM. */
export function bundleOf(authorities: readonly string[]): string {
  return authorities.join('');
}

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

function usablePair(
  {
    certificate: text,
    key,
  }: { readonly certificate: string | undefined; readonly key: string | undefined },
  wanted: {
    readonly trusted: readonly string[];
    readonly dnsNames: readonly string[];
    readonly now: number;
  },
): Pair | undefined {
  if (text === undefined || key === undefined) return undefined;
  const certificate = certificateOf(text);
  if (certificate === undefined || !isKeyOf(key, certificate)) return undefined;
  if (!wanted.dnsNames.every((name) => certificate.checkHost(name) !== undefined)) return undefined;
  const [validFrom, validUntil] = [certificate.validFromDate, certificate.validToDate].map((date) =>
    date.getTime(),
  ) as [number, number];
  if (wanted.now < validFrom || wanted.now >= validUntil) return undefined;
  const authority = wanted.trusted.find((each) => {
    const publicKey = certificateOf(each)?.publicKey;
    return publicKey !== undefined && certificate.verify(publicKey);
  });
  if (authority === undefined) return undefined;
  return { key, certificate: text, validFrom, validUntil, authority };
}

function certificateOf(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined; // the Secret was edited
  }
}

function isKeyOf(key: string, certificate: X509Certificate): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false; // the Secret was edited; the error could quote the key
  }
}
