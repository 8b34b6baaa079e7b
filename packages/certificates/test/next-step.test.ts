/** The order of steps, by itself: whatever happens in between, a certificate that is served is trusted. */
import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  authoritiesIn,
  certificateState,
  KEYS,
  type SecretTexts,
} from '../src/certificate-state.ts';
import { issueCertificate } from '../src/issue-certificate.ts';
import { nextStep, OVERLAP_MS, SETTLE_MS, SKEW_MS, type Step, VALID_MS } from '../src/next-step.ts';

const NAMES = ['site-gate.demo.svc'];
const START = Date.parse('2030-01-01T00:00:00Z');

/** A cluster with one Secret and two places that trust. */
class Place {
  texts: SecretTexts = {};
  readonly bundles: (string | undefined)[] = [undefined, undefined];
  /** The certificate that a gate has loaded: that of the Secret, or an earlier one. */
  gate: string | undefined;
  now: number = START;
  #same: { readonly bundle: string; readonly since: number } | undefined;

  step(): Step {
    const { texts, now, bundles } = this;
    return nextStep(certificateState(texts, NAMES, now), {
      now,
      bundles,
      remembered: authoritiesIn(bundles.join(''), now),
      trustedForMs: (bundle) => {
        if (this.#same?.bundle !== bundle) this.#same = { bundle, since: now };
        return now - this.#same.since;
      },
      issue: () =>
        issueCertificate({ dnsNames: NAMES, validFrom: now - SKEW_MS, validUntil: now + VALID_MS }),
    });
  }

  /** @param reached - how many places of a bundle are written before the process ends. */
  carryOut(step: Step, reached: number = 2): void {
    if (step.is === 'write') this.texts = step.texts;
    if (step.is !== 'trust') return;
    this.#same = undefined;
    for (let at = 0; at < reached; at += 1) this.bundles[at] = step.bundle;
  }

  /** A new process remembers nothing. */
  restart(): void {
    this.#same = undefined;
  }

  /** The kubelet brings the Secret into the Pod. */
  load(): void {
    this.gate = this.texts[KEYS.certificate] ?? this.gate;
  }

  settle(): string[] {
    const done: string[] = [];
    for (let step = this.step(); step.is !== 'wait'; step = this.step()) {
      done.push(step.is === 'write' ? step.why : step.is);
      this.carryOut(step);
    }
    return done;
  }

  /** Both places trust what the gate serves. */
  isServed(): boolean {
    const { gate } = this;
    if (gate === undefined) return true;
    const certificate = new X509Certificate(gate);
    return this.bundles.every((bundle) =>
      authoritiesIn(bundle ?? '', this.now).some((each) =>
        certificate.verify(new X509Certificate(each).publicKey),
      ),
    );
  }
}

test('when the operator starts for the first time, the certificate is made, trusted and served at once', () => {
  const place = new Place();

  expect(place.settle()).toEqual(['made', 'trust', 'served']);
  place.load();
  expect(place.isServed()).toBe(true);
  expect(place.settle()).toEqual([]);
});

test('a renewed certificate is trusted for a while before it is served, and the old authority stays trusted for an hour afterwards', () => {
  const place = new Place();
  place.settle();
  place.load();
  const first = place.gate;
  place.now += VALID_MS * 0.67;

  expect(place.settle()).toEqual(['made', 'trust']);
  expect(place.texts[KEYS.certificate]).toBe(first);
  place.now += SETTLE_MS - 1;
  expect(place.settle()).toEqual([]);
  place.now += 1;
  expect(place.settle()).toEqual(['served']);
  expect(place.texts[KEYS.certificate]).not.toBe(first);
  expect(place.isServed()).toBe(true); // the gate still has the first one
  place.now += OVERLAP_MS - 1;
  expect(place.settle()).toEqual([]);
  place.load();
  place.now += 1;
  expect(place.settle()).toEqual(['forgotten', 'trust']);
  expect(place.isServed()).toBe(true);
  expect(authoritiesIn(place.bundles[0] ?? '', place.now)).toHaveLength(1);
});

test('after the Secret is lost, the previous authority stays trusted while a gate may still serve its certificate', () => {
  const place = new Place();
  place.settle();
  place.load();
  place.texts = {};

  expect(place.settle()).toEqual(['made', 'trust']);
  expect(place.isServed()).toBe(true);
  place.now += SETTLE_MS;
  expect(place.settle()).toEqual(['served']);
  expect(place.isServed()).toBe(true);
});

test.each([
  [
    'another key',
    (texts: SecretTexts, other: SecretTexts) => ({ ...texts, [KEYS.key]: other[KEYS.key] ?? '' }),
  ],
  [
    'an incomplete certificate',
    (texts: SecretTexts) => ({
      ...texts,
      [KEYS.certificate]: (texts[KEYS.certificate] ?? '').slice(0, 200),
    }),
  ],
  ['no bundle', ({ [KEYS.trusted]: _gone, ...texts }: SecretTexts) => texts],
  [
    'the authority of another program',
    (texts: SecretTexts, other: SecretTexts) => ({
      ...texts,
      [KEYS.trusted]: other[KEYS.trusted] ?? '',
    }),
  ],
] as const)('the operator makes a new Secret if the Secret has %s', (_title, edit) => {
  const place = new Place();
  place.settle();
  const other = new Place();
  other.settle();

  place.texts = edit(place.texts, other.texts);

  place.settle();
  place.now += SETTLE_MS;
  place.settle();
  place.load();
  expect(place.isServed()).toBe(true);
});

test('the operator restores an edited bundle, and does not write the Secret', () => {
  const place = new Place();
  place.settle();
  const before = place.texts;
  place.bundles[1] = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

  expect(place.settle()).toEqual(['trust']);
  expect(place.texts).toBe(before);
  expect(place.bundles[1]).toBe(place.bundles[0]);
});

test('if the Secret has lost the time when the certificate was first served, both authorities are trusted again', () => {
  const place = new Place();
  place.settle();
  place.now += VALID_MS * 0.67;
  place.settle();
  place.now += SETTLE_MS;
  place.settle();
  const { [KEYS.servedSince]: _gone, ...rest } = place.texts;
  place.texts = rest;

  expect(place.settle()).toEqual(['served']);
  place.now += OVERLAP_MS;
  expect(place.settle()).toEqual(['forgotten', 'trust']);
});

/** What may happen between two looks. */
const EVENTS = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant('step' as const), reached: fc.nat({ max: 2 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('time' as const),
      ms: fc.integer({ min: 1, max: VALID_MS / 12 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ is: 'restart' as const }) },
  { weight: 2, arbitrary: fc.constant({ is: 'load' as const }) },
  { weight: 1, arbitrary: fc.constant({ is: 'deleted' as const }) },
);

test('after any events in any order, the gate has either a trusted certificate or no certificate yet', () => {
  fc.assert(
    fc.property(fc.array(EVENTS, { maxLength: 30 }), (events) => {
      const place = new Place();
      place.settle();
      place.load();
      for (const event of events) {
        // The kubelet needs two minutes; an hour is more than that.
        if (event.is === 'time') {
          place.load();
          place.now += event.ms;
          // A process that is away for weeks lets a certificate expire: this one is never away for longer than a share.
          place.settle();
          place.now += SETTLE_MS;
          place.settle();
        } else if (event.is === 'step') place.carryOut(place.step(), event.reached);
        else if (event.is === 'restart') place.restart();
        else if (event.is === 'load') place.load();
        else place.texts = {};
        expect(place.isServed()).toBe(true);
      }
    }),
  );
});
