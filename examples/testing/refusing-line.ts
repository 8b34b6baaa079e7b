/**
 * A cluster whose API server refuses some writes until the test says otherwise, as a policy or a quota does
 * that comes and goes. Time is the test's, so that back-off of minutes takes none.
 */
import { request as send } from 'node:http';
import {
  advanceUntil,
  FakeClock,
  failure,
  type Manifest,
  ScriptedServer,
  startOperator,
  startTestEnv,
  type TestEnv,
  type TestOperator,
} from '@chancery/testing';
import type { Controller, StatusDetails } from 'chancery';
import { onTestFinished } from 'vitest';

type Reply = ReturnType<typeof failure>;

/** What an API server says when it refuses. */
export interface Denial {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: StatusDetails;
}

const POLICY =
  "ValidatingAdmissionPolicy 'team' with binding 'team' denied request: every object needs a team";

/** Refusals of other things than the object itself, in the words of a real API server. */
export const DENIALS: Readonly<Record<'policy' | 'quota' | 'webhook', Denial>> = {
  policy: {
    code: 422,
    reason: 'Invalid',
    message: `deployments.apps "a" is forbidden: ${POLICY}`,
    details: { name: 'a', kind: 'deployments', causes: [{ message: POLICY }] },
  },
  quota: {
    code: 403,
    reason: 'Forbidden',
    message:
      'deployments.apps "a" is forbidden: exceeded quota: rq, requested: count/deployments.apps=1, used: count/deployments.apps=3, limited: count/deployments.apps=3',
    details: { name: 'a', kind: 'deployments' },
  },
  webhook: {
    code: 403,
    reason: 'Forbidden',
    message: 'admission webhook "w.example.dev" denied the request: no',
  },
};

export interface Refusing {
  readonly env: TestEnv;
  readonly namespace: string;
  readonly operator: TestOperator;
  /** Writes that match are refused with this from now on; undefined: with nothing. */
  refuse(denial: Denial | undefined): void;
  /** How many writes were refused. */
  refusals(): number;
  /** Lets time pass until the condition holds. @param withinMs - default 10 minutes. */
  until(condition: () => boolean, withinMs?: number): Promise<void>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
  /** Notes of the Events of this reason. */
  told(reason: string): readonly string[];
}

/** @param writes - the path of those that are refused. */
export async function startRefusing(
  controllers: readonly Controller[],
  manifests: readonly Manifest[],
  writes: RegExp,
  denial: Denial,
): Promise<Refusing> {
  const clock = new FakeClock();
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false, clock } });
  onTestFinished(() => env.stop());
  for (const manifest of manifests) await env.apply(manifest);
  const namespace = await env.namespace();
  const line = new ScriptedServer({ clock });
  const forward = forwardTo(env.url);
  let refusal: Denial | undefined = denial;
  let count = 0;
  line.on({ path: writes }, (exchange) => {
    if (refusal === undefined || exchange.request.method === 'GET') return forward(exchange);
    count++;
    return failure(refusal)(exchange);
  });
  line.on({}, forward);
  await line.start();
  onTestFinished(() => line.close());
  const operator = startOperator({ url: line.url, namespace, clock, controllers });
  onTestFinished(() => operator.stop());
  const until = (condition: () => boolean, withinMs = 600_000) =>
    advanceUntil(clock, condition, { withinMs });
  return {
    env,
    namespace,
    operator,
    refuse: (next) => {
      refusal = next;
    },
    refusals: () => count,
    until,
    pass: async (ms) => {
      const end = clock.monotonic() + ms;
      await until(() => clock.monotonic() >= end, ms + 1);
    },
    told: (reason) =>
      env.server
        .list('events.k8s.io/v1', 'Event', namespace)
        .map((event) => event as unknown as { readonly reason: string; readonly note: string })
        .filter((event) => event.reason === reason)
        .map(({ note }) => note),
  };
}

/** Asks the API server at `url`, and passes its answer on as it comes. */
export function forwardTo(url: string): Reply {
  return ({ request, response, signal }) =>
    new Promise((resolve, reject) => {
      const target = new URL(`${request.path}?${new URLSearchParams(request.query)}`, url);
      const headers = { ...request.headers, host: target.host } as Record<string, string>;
      const onward = send(target, { method: request.method, headers, signal });
      onward.on('error', (error) => (signal.aborted ? resolve() : reject(error)));
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.on('error', () => response.destroy());
        answer.on('end', resolve);
        answer.pipe(response);
      });
      onward.end(request.body);
    });
}
