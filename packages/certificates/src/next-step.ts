import {
  bundleOf,
  type CertificateState,
  KEYS,
  type Pair,
  type SecretTexts,
} from './certificate-state.ts';
import type { Issued } from './issue-certificate.ts';

/** Validity of a certificate: 90 days. */
export const VALID_MS: number = 90 * 86_400_000;

/** The clock of an API server may be behind by this time: 5 minutes. */
export const SKEW_MS: number = 300_000;

/** A certificate is replaced after this share of its validity. A third of the time is left then. */
const RENEW_SHARE = 2 / 3;

/**
 * The time between writing a new bundle everywhere and serving a certificate of its newest
 * authority. Within seconds, each API server receives the new bundle through its watch.
 */
export const SETTLE_MS = 60_000;

/**
 * Time for which the previous authority stays trusted after a new certificate is served. The
 * kubelet needs up to about two minutes to update a Secret in a Pod.
 */
export const OVERLAP_MS = 3_600_000;

/** The next step. A step writes the Secret at most once. After it, `nextStep` is called again. */
export type Step =
  /** Writes the Secret. */
  | { readonly is: 'write'; readonly why: Reason; readonly texts: SecretTexts }
  /** Writes the bundle to every webhook and definition that has another bundle. */
  | { readonly is: 'trust'; readonly bundle: string }
  | { readonly is: 'wait'; readonly ms: number };

/** The reason why the Secret is written, for the log. */
export type Reason = 'made' | 'served' | 'forgotten';

/** The facts that decide about the next step and are not in the Secret. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: number;
  /**
   * The current bundles at the API server, one per webhook or definition. An item is undefined
   * where a bundle is missing.
   */
  readonly bundles: readonly (string | undefined)[];
  /** Authorities that stay trusted although the Secret is gone. */
  readonly remembered: readonly string[];
  /** How long every `caBundle` has contained exactly this bundle, in milliseconds. */
  trustedForMs(bundle: string): number;
  /** Creates an authority and a certificate. */
  issue(): Issued;
}

/**
 * The next step. With this order of steps, no request fails. A new authority is stored first, then
 * trusted everywhere, and only then is its certificate served. The previous authority stays trusted
 * until no gate can still have its certificate. A process may end between any two steps, because
 * the Secret contains the progress.
 */
export function nextStep(state: CertificateState, surroundings: Surroundings): Step {
  const { now, bundles, remembered } = surroundings;
  const next = state.next !== undefined && !isDue(state.next, now) ? state.next : undefined;
  if (next === undefined && (state.serving === undefined || isDue(state.serving, now))) {
    const issued = surroundings.issue();
    const kept = state.trusted.length > 0 ? state.trusted : remembered;
    return { is: 'write', why: 'made', texts: texts(state, [...kept, issued.authority], issued) };
  }
  const bundle = bundleOf(state.trusted);
  if (bundles.some((each) => each !== bundle)) return { is: 'trust', bundle };
  if (next !== undefined) return serve(next, state, surroundings.trustedForMs(bundle), now);
  const { serving, servedSince } = state;
  if (serving === undefined) throw new Error('a certificate is served or next');
  if (state.trusted.length > 1) {
    if (servedSince === undefined) {
      // The time `served-since` is missing in the Secret, so the overlap starts again.
      const dated = { serving, servedSince: now };
      return { is: 'write', why: 'served', texts: texts(dated, state.trusted) };
    }
    const left = servedSince + OVERLAP_MS - now;
    if (left > 0) return { is: 'wait', ms: left };
    return { is: 'write', why: 'forgotten', texts: texts(state, [serving.authority]) };
  }
  return { is: 'wait', ms: dueAt(serving) - now };
}

/**
 * Serves the next certificate when its authority has been trusted long enough. At the first start
 * no certificate is served yet, so there is no wait.
 */
function serve(next: Pair, state: CertificateState, trustedForMs: number, now: number): Step {
  const isFirst = state.trusted.length === 1;
  if (!isFirst && trustedForMs < SETTLE_MS) return { is: 'wait', ms: SETTLE_MS - trustedForMs };
  const served = { ...state, serving: next, servedSince: now };
  return { is: 'write', why: 'served', texts: texts(served, state.trusted) };
}

function isDue(pair: Pair, now: number): boolean {
  return now >= dueAt(pair);
}

function dueAt({ validFrom, validUntil }: Pair): number {
  return validFrom + (validUntil - validFrom) * RENEW_SHARE;
}

/** The whole content of the Secret. A certificate that cannot be used is dropped. */
function texts(
  { serving, servedSince }: Pick<CertificateState, 'serving' | 'servedSince'>,
  trusted: readonly string[],
  next?: Issued,
): SecretTexts {
  return {
    [KEYS.trusted]: bundleOf(trusted),
    ...(serving !== undefined && {
      [KEYS.certificate]: serving.certificate,
      [KEYS.key]: serving.key,
    }),
    ...(serving !== undefined &&
      servedSince !== undefined && { [KEYS.servedSince]: new Date(servedSince).toISOString() }),
    ...(next !== undefined && {
      [KEYS.nextCertificate]: next.certificate,
      [KEYS.nextKey]: next.key,
    }),
  };
}
