import {
  type Clock,
  type Controller,
  controller,
  enqueueMapped,
  type GoneContext,
  type Outcome,
  type Trigger,
} from 'chancery';
import { type CertificateTargets, certificatesAccess } from 'chancery/internal';
import { type Secret, secrets } from 'chancery/kubernetes';
import { authoritiesIn, certificateState, type SecretTexts } from './certificate-state.ts';
import { issueCertificate } from './issue-certificate.ts';
import { nextStep, SKEW_MS, type Step, VALID_MS } from './next-step.ts';
import { bundlesIn, type TrustingObject, trustPatch } from './trusting-objects.ts';

/** The objects that `chancery certificates` maintains. */
export interface CertificatesOptions {
  readonly targets: CertificateTargets;
  /** The Service of the gate, in the namespace of the Secret. */
  readonly service: string;
  readonly namespace: string;
}

/**
 * The longest wait before the next check. A timer accepts at most 24 days, and the system clock may
 * be set during a wait.
 */
const LONGEST_WAIT_MS = 6 * 3_600_000;

/**
 * Maximum number of steps that follow each other without a pause, such as: store a certificate,
 * trust its authority, serve it. Each step is decided from the stored state.
 */
const MOST_STEPS = 4;

/**
 * The delay before a changed bundle is corrected again. There is no delay at first, then 1 s, 2 s
 * and so on.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** If nobody has changed the bundles for this long, the next change is undone at once. */
const CALM_MS = 600_000;

type Tools = Pick<GoneContext, 'client' | 'clock' | 'log' | 'signal' | 'store'>;

/**
 * Maintains a serving certificate in a Secret, and its authority in the `caBundle` of webhook
 * configurations and definitions. The work queue of the controller has only one key: namespace and
 * name of the Secret. A change of any of these objects enqueues this key.
 */
export function certificatesController(options: CertificatesOptions): Controller<Secret> {
  const { targets, namespace } = options;
  const access = certificatesAccess(targets);
  const key = { namespace, name: targets.secret };
  const memory = { trust: new TrustedSince(), pauses: new Pauses() };
  const keep = (context: Tools): Promise<Outcome> =>
    new Keeper(options, access, memory, context).run();
  return controller<Secret>({
    name: access.name,
    for: access.secret,
    watches: access.trusting.map((each) => enqueueMapped(each, () => [key])),
    triggers: [atStart(key)],
    permissions: access.permissions ?? [],
    reconcile: (_secret, context) => keep(context),
    gone: (_key, context) => keep(context),
  });
}

/**
 * Enqueues the key at startup, because no event does so if neither the Secret nor a configuration
 * exists.
 */
function atStart(key: { readonly namespace: string; readonly name: string }): Trigger {
  return {
    async run(enqueue) {
      enqueue([key]);
    },
  };
}

/**
 * Measures for how long every `caBundle` has been the same bundle. A new process starts to measure
 * at zero. Then the old and the new authority are both trusted for longer than necessary, which
 * does no harm.
 */
class TrustedSince {
  #bundle: string | undefined;
  #at = 0;

  forMs(bundle: string, clock: Clock): number {
    if (this.#bundle !== bundle) {
      this.#bundle = bundle;
      this.#at = clock.monotonic();
    }
    return clock.monotonic() - this.#at;
  }

  forget(): void {
    this.#bundle = undefined;
  }
}

/**
 * Pauses between writes, so that two programs that want different bundles do not overwrite each
 * other continuously.
 */
class Pauses {
  #bundle: string | undefined;
  #at = 0;
  #times = 0;

  /** Milliseconds until this bundle may be written. */
  leftMs(bundle: string, clock: Clock): number {
    if (this.#bundle !== bundle || this.#times < 2) return 0;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (this.#times - 2), LONGEST_PAUSE_MS);
    return Math.max(this.#at + pauseMs - clock.monotonic(), 0);
  }

  written(bundle: string, clock: Clock): void {
    const now = clock.monotonic();
    const isRepeated = this.#bundle === bundle && now - this.#at < CALM_MS;
    this.#times = isRepeated ? this.#times + 1 : 1;
    this.#bundle = bundle;
    this.#at = now;
  }
}

/** State that is kept between attempts. */
interface Memory {
  readonly trust: TrustedSince;
  readonly pauses: Pauses;
}

/** One attempt to bring the objects into the desired state. */
class Keeper {
  readonly #options: CertificatesOptions;
  readonly #access: ReturnType<typeof certificatesAccess>;
  readonly #memory: Memory;
  readonly #context: Tools;

  constructor(
    options: CertificatesOptions,
    access: ReturnType<typeof certificatesAccess>,
    memory: Memory,
    context: Tools,
  ) {
    this.#options = options;
    this.#access = access;
    this.#memory = memory;
    this.#context = context;
  }

  async run(): Promise<Outcome> {
    for (let count = 0; count < MOST_STEPS; count += 1) {
      const step = this.#next();
      if (step.is === 'wait') return { requeueAfterMs: Math.min(step.ms, LONGEST_WAIT_MS) };
      if (step.is === 'write') {
        await this.#write(step);
        continue;
      }
      const { pauses } = this.#memory;
      const pauseMs = pauses.leftMs(step.bundle, this.#context.clock);
      if (pauseMs > 0) return { requeueAfterMs: pauseMs };
      await this.#tellAll(step.bundle);
      pauses.written(step.bundle, this.#context.clock);
    }
    return { requeueAfterMs: 0 };
  }

  #next(): Step {
    const { clock, store } = this.#context;
    const { service, namespace } = this.#options;
    const [secret] = [...store(this.#access.secret).list()];
    const now = clock.now();
    const host = `${service}.${namespace}.svc`;
    const dnsNames = [host, `${host}.cluster.local`];
    const bundles = this.#trusting().flatMap((each) =>
      bundlesIn(each, { name: service, namespace }),
    );
    return nextStep(certificateState(textsOf(secret), dnsNames, now), {
      now,
      bundles,
      remembered: authoritiesIn(bundles.join(''), now),
      trustedForMs: (bundle) => this.#memory.trust.forMs(bundle, clock),
      issue: () =>
        issueCertificate({ dnsNames, validFrom: now - SKEW_MS, validUntil: now + VALID_MS }),
    });
  }

  #trusting(): readonly TrustingObject[] {
    const { store } = this.#context;
    return this.#access.trusting.flatMap((each) => [...store(each).list()]) as TrustingObject[];
  }

  async #tellAll(bundle: string): Promise<void> {
    const { client, signal, log } = this.#context;
    const { service: name, namespace } = this.#options;
    this.#memory.trust.forget();
    for (const source of this.#access.trusting) {
      for (const object of this.#context.store(source).list() as Iterable<TrustingObject>) {
        const isTrusting = bundlesIn(object, { name, namespace }).every((each) => each === bundle);
        const body = trustPatch(object, { name, namespace }, bundle);
        if (isTrusting || body.length === 0) continue;
        const target = { name: object.metadata.name };
        await client.patch(source.resource, target, { type: 'json', body }, { signal });
        log.info(
          { kind: object.kind, name: object.metadata.name },
          'changed the trusted certificates',
        );
      }
    }
  }

  async #write({ why, texts }: Extract<Step, { readonly is: 'write' }>): Promise<void> {
    const { client, signal, log } = this.#context;
    const { namespace, targets } = this.#options;
    await client.apply(
      secrets,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name: targets.secret },
        data: Object.fromEntries(
          Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
        ),
      },
      { force: true, signal },
    );
    log.info({ secret: targets.secret }, SAYS[why]);
  }
}

const SAYS = {
  made: 'made a certificate that is not served yet',
  served: 'a new certificate is served',
  forgotten: 'the authority before is no longer trusted',
} as const;

function textsOf(secret: Secret | undefined): SecretTexts {
  const entries = Object.entries(secret?.data ?? {});
  return Object.fromEntries(
    entries.map(([key, base64]) => [key, Buffer.from(base64, 'base64').toString()]),
  );
}
