import {
  bundleOf,
  type CertificateState,
  KEYS,
  type Pair,
  type SecretTexts,
} from './certificate-state.ts';
import type { Issued } from './issue-certificate.ts';

/** How long a certificate is valid. */
export const VALID_MS: number = 90 * 86_400_000;

/** Clocks of API servers may be behind by this. */
export const SKEW_MS: number = 300_000;

/** A certificate is replaced when a third of its time is left. */
const RENEW_SHARE = 2 / 3;

/**
 * How long a new bundle is known before a certificate of its newest authority is served. Each API server gets the change by
 * its watch, within seconds.
 */
export const SETTLE_MS = 60_000;

/**
 * How long the authority before stays trusted after another certificate is served. The kubelet brings a changed Secret into
 * a Pod within about two minutes.
 */
export const OVERLAP_MS = 3_600_000;

/** What to do next. At most one write of the Secret, and then the question is asked again. */
export type Step =
  /** Write the Secret. */
  | { readonly is: 'write'; readonly why: Reason; readonly texts: SecretTexts }
  /** Write the bundle where it is not yet. */
  | { readonly is: 'trust'; readonly bundle: string }
  | { readonly is: 'wait'; readonly ms: number };

/** Why the Secret is written. */
export type Reason = 'made' | 'served' | 'forgotten';

/** What the decision depends on besides the Secret. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The bundles that the API server has now; undefined where there is none. */
  readonly bundles: readonly (string | undefined)[];
  /** Authorities that are to stay trusted although the Secret is gone. */
  readonly remembered: readonly string[];
  /** For how many milliseconds every `caBundle` has been this bundle. */
  trustedForMs(bundle: string): number;
  /** Makes an authority and a certificate. */
  issue(): Issued;
}

/**
 * The order that keeps each request working: a new authority is written down, then trusted everywhere, and only then is its
 * certificate served; the old authority stays trusted until no gate can have its certificate. A process may end between
 * any two steps, because the Secret says how far it came.
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
      // Somebody has removed it: the overlap begins anew.
      const dated = { serving, servedSince: now };
      return { is: 'write', why: 'served', texts: texts(dated, state.trusted) };
    }
    const left = servedSince + OVERLAP_MS - now;
    if (left > 0) return { is: 'wait', ms: left };
    return { is: 'write', why: 'forgotten', texts: texts(state, [serving.authority]) };
  }
  return { is: 'wait', ms: dueAt(serving) - now };
}

/** At a first start nobody serves anything yet, so that nobody has to be waited for. */
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

/** The whole Secret. A certificate that nobody could use is left out. */
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
