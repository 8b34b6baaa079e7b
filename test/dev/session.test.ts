import { advanceUntil, FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { describeError } from '../../operator/cli/describe-error.ts';
import type { DevCluster } from '../../operator/cli/dev/ambassador.ts';
import type { Declarations } from '../../operator/cli/dev/declarations.ts';
import type { Announcement } from '../../operator/cli/dev/operator-process.ts';
import { DevSession, type RunningOperator } from '../../operator/cli/dev/session.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';

const DECLARED: Declarations = {
  name: 'hello',
  filter: { acceptPaths: ['^/version$'], rejectPaths: [], rejectMethods: [] },
  roles: [],
  definitions: [],
  conversionUrl: undefined,
  webhooks: [],
};

interface Started {
  readonly session: DevSession;
  readonly clock: FakeClock;
  readonly said: string[];
  /** When each operator was started, in milliseconds since the first. */
  readonly starts: number[];
  /** What was asked of the cluster. */
  readonly calls: string[];
}

interface Setup {
  /** Exit codes of one operator after the other. Those after the last run for ever. */
  readonly codes: readonly number[];
  readonly announcement?: Announcement;
  /** The first so many calls of the cluster fail. */
  readonly failures?: number;
  /** Whether the operator answers its webhooks. Default true. */
  readonly asks?: () => boolean;
}

/** A session with scripted operators, and a cluster that does nothing. */
function started({ codes, announcement = LOADED, failures = 0, asks }: Setup): Started {
  const clock = new FakeClock();
  const stop = new AbortController();
  const said: string[] = [];
  const starts: number[] = [];
  const calls: string[] = [];
  const session = new DevSession({
    cluster: clusterThat(calls, failures, asks),
    clock,
    signal: stop.signal,
    say: (text) => void said.push(text),
    describe: describeError,
    shown: (path) => path,
    startOperator: () => {
      const operator = operatorThat(announcement, codes[starts.length]);
      starts.push(clock.monotonic());
      return operator;
    },
    onStart: () => {},
    onReady: () => {},
    samples: [{ file: 'sample.yaml', value: { kind: 'ConfigMap', metadata: { name: 'a' } } }],
  });
  const running = session.run();
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return { session, clock, said, starts, calls };
}

const LOADED: Announcement = { kind: 'loaded', pid: 1, files: {}, declarations: DECLARED };

function operatorThat(announcement: Announcement, code: number | undefined): RunningOperator {
  const gone = Promise.withResolvers<number>();
  const end = (): void => {
    if (code !== undefined) gone.resolve(code);
  };
  if (announcement.kind === 'failed') end();
  return {
    announced: Promise.resolve(announcement),
    exit: gone.promise,
    go: end,
    stop: async () => gone.resolve(0),
  };
}

function clusterThat(
  calls: string[],
  failures: number,
  asks: () => boolean = () => true,
): DevCluster {
  const call = async (what: string): Promise<void> => {
    calls.push(what);
    if (calls.length <= failures) throw new ConfigurationError(`${what} is refused`);
  };
  return {
    description: '',
    namespace: 'default',
    ambassador: {
      description: '',
      url: 'http://127.0.0.1:1',
      start: () => call('filter'),
      stop: async () => {},
    },
    applyDefinitions: () => call('definitions'),
    applyRoles: () => call('roles'),
    applyWebhooks: () => call('webhooks'),
    asksWebhooks: async () => asks(),
    applySample: () => call('sample'),
    close: async () => {},
  };
}

test('[DEV-7] an operator that keeps crashing restarts after 1, 2, 4 and at most 30 seconds', async () => {
  const { clock, starts } = started({ codes: [1, 1, 1, 1, 1, 1, 1, 1] });

  await advanceUntil(clock, () => starts.length === 9);

  const delays = starts.slice(1).map((at, before) => at - (starts[before] ?? 0));
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test.each([
  ['wrong', 2],
  ['unsafe', 3],
])('an operator that exits with the code for "%s" restarts only after a file is saved', async (_, code) => {
  const { clock, starts, said } = started({ codes: [code, code] });

  await advanceUntil(clock, () => said.some((line) => line.includes('after the next save')));
  await clock.advanceAndSettle(100_000);

  expect(starts).toHaveLength(1);
});

test('after a crash definitions, roles and samples are not applied again if nothing has changed', async () => {
  const { clock, starts, calls } = started({ codes: [1, 1] });

  await advanceUntil(clock, () => starts.length === 3);
  await advanceUntil(clock, () => calls.length >= 5);

  expect(calls).toEqual(['definitions', 'roles', 'webhooks', 'filter', 'sample']);
});

test('if applying definitions or roles fails, the failure is printed, and the next start tries again', async () => {
  const { clock, starts, calls, said } = started({ codes: [1], failures: 5 });

  await advanceUntil(clock, () => starts.length === 2 && calls.length === 10);

  expect(calls.slice(5)).toEqual(['definitions', 'roles', 'webhooks', 'filter', 'sample']);
  expect(said).toContain('cannot apply the definitions: definitions is refused');
  expect(said).toContain('cannot apply sample.yaml: sample is refused');
  expect(said.filter((line) => line === 'applied sample.yaml')).toHaveLength(1);
});

test('for each file of samples one line says that it was applied', async () => {
  const { clock, starts, said, calls, session } = started({ codes: [1, 1] });

  await advanceUntil(clock, () => starts.length === 3);
  await session.addSamples([{ file: 'sample.yaml', value: { kind: 'ConfigMap' } }]);

  expect(calls.filter((call) => call === 'sample')).toHaveLength(2);
  expect(said.filter((line) => line.startsWith('applied '))).toEqual(['applied sample.yaml']);
  expect(said.indexOf('applied sample.yaml')).toBeLessThan(
    said.indexOf('the operator runs (pid 1)'),
  );
});

const REVIEWED: Announcement = {
  ...LOADED,
  declarations: {
    ...DECLARED,
    webhooks: [{ apiVersion: 'v1', kind: 'Any', metadata: { name: 'a' } }],
  },
};

test('samples wait until the operator answers its webhooks', async () => {
  const answers = { areReady: false };
  const { clock, calls, said } = started({
    codes: [],
    announcement: REVIEWED,
    asks: () => answers.areReady,
  });
  await advanceUntil(clock, () => said.some((line) => line.startsWith('the operator runs')));
  await clock.advanceAndSettle(5_000);
  expect(calls).not.toContain('sample');

  answers.areReady = true;
  await advanceUntil(clock, () => calls.includes('sample'));
});

test('if the webhooks never answer, samples are applied after 30 s', async () => {
  const { clock, calls, said } = started({
    codes: [],
    announcement: REVIEWED,
    asks: () => false,
  });

  await advanceUntil(clock, () => calls.includes('sample'));

  expect(said).toContain('the webhooks do not answer for 30 s; samples are applied');
});

test('a sample that is saved before the webhooks answer is applied together with the other samples', async () => {
  const answers = { areReady: false };
  const { session, clock, calls, said } = started({
    codes: [],
    announcement: REVIEWED,
    asks: () => answers.areReady,
  });
  await advanceUntil(clock, () => said.some((line) => line.startsWith('the operator runs')));

  await session.addSamples([{ file: 'other.yaml', value: {} }]);
  expect(calls).not.toContain('sample');
  expect(said).toContain('samples wait until the operator runs');

  answers.areReady = true;
  await advanceUntil(clock, () => calls.filter((call) => call === 'sample').length === 2);
});
