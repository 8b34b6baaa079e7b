/** When the API server refuses a child, the parent gets a Warning Event that says what to do. */
import { eventually, type TestEnv } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../operator/client/call.ts';
import { child } from '../../operator/composite/child.ts';
import { composite } from '../../operator/composite/composite.ts';
import { decorator } from '../../operator/composite/decorator/decorator.ts';
import { type ControllerOptions, controller } from '../../operator/controller/controller.ts';
import {
  BeingDeletedError,
  NotReadyError,
  retryRefused,
  TerminalError,
} from '../../operator/controller/errors.ts';
import type { Desired } from '../../operator/controller/reconciler.ts';
import { RefusedChildren, withRefusals } from '../../operator/controller/run/refused-children.ts';
import {
  AmbassadorError,
  LeadershipLostError,
  messageOf,
  OperatorError,
} from '../../operator/core/errors.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { secrets } from '../../operator/model/kubernetes/resources.ts';
import { type KubernetesObject, keyOf } from '../../operator/model/object.ts';
import { AlreadyOwnedError, controllerReference } from '../../operator/model/owner-reference.ts';
import { ApiError } from '../../operator/model/status.ts';
import { type ConfigSet, configSets, playground } from '../composite/parents.ts';

interface Told extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: { readonly kind?: string; readonly name?: string };
  readonly series?: { readonly count?: number };
}

type Desire = Desired<ConfigMap>;
type Reconcile = ControllerOptions<ConfigSet>['reconcile'];

const LONG = 'm'.repeat(254);
const OTHERS_SECRET = 'hunter2 of the others';

/** The Events on sets. */
async function toldOn(env: TestEnv, namespace: string): Promise<readonly Told[]> {
  const events = await env.list<Told>('events.k8s.io/v1', 'Event', namespace);
  return events.filter(({ regarding }) => regarding?.kind === 'ConfigSet');
}

function plain(...wanted: readonly Desire[]) {
  return controller<ConfigSet>({
    name: 'plain',
    for: configSets,
    owns: [configMaps],
    async reconcile(_set, { applyOwned }) {
      const written = wanted.map((each) => applyOwned(configMaps, each));
      const failed = (await Promise.allSettled(written)).find(
        ({ status }) => status === 'rejected',
      );
      if (failed?.status === 'rejected') throw failed.reason;
    },
  });
}

const composed = (...wanted: readonly Desire[]) =>
  composite<ConfigSet>({
    name: 'composed',
    parent: configSets,
    children: [configMaps],
    sync: () => ({ children: wanted.map((each) => child(configMaps, each)) }),
  });

const decorated = (...wanted: readonly Desire[]) =>
  decorator<ConfigSet>({
    name: 'decorated',
    objects: configSets,
    attachments: [configMaps],
    sync: () => ({ attachments: wanted.map((each) => child(configMaps, each)) }),
  });

describe.each([
  { form: 'a controller', declared: plain },
  { form: 'a composite', declared: composed },
  { form: 'a decorator', declared: decorated },
])('[child 8] refused children of $form', ({ declared }) => {
  test('a reconcile reports each child that the API server refuses, and writes the others', async () => {
    const labels = { team: 'not a label value' };
    const { env, namespace, names } = await playground(
      declared(
        { metadata: { name: LONG } },
        { metadata: { name: 'labelled', labels } },
        { metadata: { name: 'fine' } },
      ),
      { names: [] },
    );

    const told = await eventually(async () => {
      const events = await toldOn(env, namespace);
      return events.length >= 2 && events;
    });

    expect(await names()).toEqual(['fine']);
    expect(told.map(({ type, reason }) => ({ type, reason }))).toEqual([
      { type: 'Warning', reason: 'ChildRefused' },
      { type: 'Warning', reason: 'ChildRefused' },
    ]);
    const [labelled = '', long = ''] = told.map(({ note }) => note ?? '').sort();
    expect(labelled).toMatch(
      /^configmaps \S+\/labelled is refused: 422 Invalid: .*metadata\.labels/,
    );
    expect(long).toMatch(/^configmaps \S+\/m{200,}.* is refused: .*no more than 253 characters/);
    for (const note of [labelled, long]) {
      expect(note).toMatch(/; childName makes a name or the value of a label that fits/);
      expect(note).not.toMatch(/[\n\t]/);
      expect(note).not.toContain('not a label value');
    }
  });

  test('a reconcile reports that another object has the name of a child', async () => {
    const taken = { apiVersion: 'v1', kind: 'ConfigMap', data: { of: OTHERS_SECRET } };
    const { env, namespace } = await playground(
      declared({ metadata: { name: 'taken' } }),
      { names: [] },
      (env, namespace) => env.create({ ...taken, metadata: { name: 'taken', namespace } }),
    );

    const [told] = await eventually(async () => {
      const events = await toldOn(env, namespace);
      return events.length > 0 && events;
    });

    expect(told).toMatchObject({ type: 'Warning', reason: 'ChildRefused' });
    expect(told?.note).toContain(`configmaps ${namespace}/taken`);
    expect(told?.note).toMatch(/exists/);
    expect(told?.note).not.toContain(OTHERS_SECRET);
  });

  test('a reconcile reports an exceeded quota once, however often it is retried', async () => {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', spec: { hard: { configmaps: '1' } } };
    const { env, namespace, operator } = await playground(
      declared({ metadata: { name: 'one-more' } }),
      { names: [] },
      (env, namespace) => env.create({ ...quota, metadata: { name: 'few', namespace } }),
    );

    const [told] = await eventually(async () => {
      const events = await toldOn(env, namespace);
      return (events[0]?.series?.count ?? 0) > 1 && events;
    });

    expect(told?.note).toMatch(/one-more is refused: 403 Forbidden: .*exceeded quota: few/);
    expect(await toldOn(env, namespace)).toHaveLength(1);
    expect(
      operator.log.filter(({ message }) => message === 'reconcile failed').length,
    ).toBeGreaterThan(1);
  });
});

function reconciling(reconcile: Reconcile) {
  return controller<ConfigSet>({ name: 'own', for: configSets, owns: [configMaps], reconcile });
}

describe('[child 8] refusals that cause no Event', () => {
  const refused: Desire = { metadata: { name: 'Capital' } };

  test.each<[string, Reconcile]>([
    [
      'that the reconciler has caught',
      async (_set, { applyOwned, log }) => {
        await applyOwned(configMaps, refused).catch(() => log.info({}, 'done without'));
      },
    ],
    [
      'that the reconciler returns as its result',
      async (_set, { applyOwned, log }) => {
        try {
          await applyOwned(configMaps, refused);
        } catch (error) {
          log.info({}, 'done without');
          return retryRefused(error);
        }
      },
    ],
    [
      'in an attempt that fails for another reason',
      async (_set, { applyOwned, log }) => {
        await applyOwned(configMaps, refused).catch(() => log.info({}, 'done without'));
        throw new OperatorError('the bank is closed', { code: 'USER_CODE', layer: 'user-code' });
      },
    ],
    [
      'that a later call of the attempt settles',
      async (set, { applyOwned, log }) => {
        const metadata = { name: `settled-${set.metadata.name}` };
        const wrong = { metadata: { ...metadata, labels: { a: '?' } } };
        const error = await applyOwned(configMaps, wrong).catch((thrown: unknown) => thrown);
        await applyOwned(configMaps, { metadata });
        log.info({}, 'done without');
        throw error;
      },
    ],
  ])('there is no Event about a refusal %s', async (_, reconcile) => {
    const { env, namespace, operator } = await playground(reconciling(reconcile), { names: [] });
    await eventually(() => operator.log.some(({ message }) => message === 'done without'));
    await env.create({
      ...{ apiVersion: 'example.dev/v1', kind: 'ConfigSet' },
      ...{ metadata: { name: 'second', namespace }, spec: { names: [] } },
    });
    await eventually(
      () => operator.log.filter(({ message }) => message === 'done without').length > 1,
    );

    await operator.stop();

    expect(await toldOn(env, namespace)).toEqual([]);
  });

  test('if the reconciler itself reports a refusal by an Event, there is no second Event', async () => {
    const own = reconciling(async (_set, { applyOwned, event }) => {
      try {
        await applyOwned(configMaps, refused);
      } catch (error) {
        event('Warning', 'NoCopy', `there is no copy: ${messageOf(error)}`);
        throw error;
      }
    });
    const { env, namespace, operator } = await playground(own, { names: [] });
    await eventually(async () => (await toldOn(env, namespace)).length > 0);

    await operator.stop(); // sends what waits

    expect((await toldOn(env, namespace)).map(({ reason }) => reason)).toEqual(['NoCopy']);
  });
});

const STATED = { resource: configMaps, namespace: 'shop', name: 'a' };

function api(code: number, reason: string, message = 'no', details = {}): ApiError {
  return new ApiError({ code, reason, message, details });
}

/** What is told of an attempt that fails with the error of a child. */
function notesOf(error: Error, thrown: Error = error): readonly string[] {
  const children = new RefusedChildren();
  children.failed(STATED, error);
  return children.notes(thrown);
}

describe('[child 8] a refusal that may go away without a change', () => {
  const own = { code: 'USER_CODE', layer: 'user-code' } as const;

  test.each<[string, Error]>([
    ['a lost race', api(409, 'Conflict', 'the object has been modified', { name: 'a' })],
    ['a child that is gone', api(404, 'NotFound', 'configmaps "a" not found', { name: 'a' })],
    ['a child that is being deleted', new BeingDeletedError('a child of that name is going')],
    ['a cache that is not ready', new NotReadyError('no first list')],
    ['a name that another attempt took first', api(409, 'AlreadyExists')],
    ['a server that is too busy', api(429, 'TooManyRequests')],
    ['a server that lost its storage', api(500, 'InternalError', 'etcdserver: leader changed')],
    ['a token that is too old', api(401, 'Unauthorized')],
    [
      'an unreachable ambassador',
      new AmbassadorError('no', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' }),
    ],
    ['the loss of leadership', new LeadershipLostError('no', { layer: 'api-server' })],
    [
      'a namespace that is being deleted',
      api(403, 'Forbidden', 'no', { causes: [{ reason: 'NamespaceTerminating' }] }),
    ],
  ])('a failure that may go away without a change is not reported: %s', (_, error) => {
    expect(notesOf(error)).toEqual([]);
  });

  test.each<[string, Error]>([
    [
      'a missing permission',
      api(
        403,
        'Forbidden',
        'configmaps "a" is forbidden: User "x" cannot create resource "configmaps"',
      ),
    ],
    ['a webhook', api(400, 'BadRequest', 'admission webhook "w.example" denied the request: no')],
    [
      'an unreachable webhook',
      api(
        500,
        'InternalError',
        'Internal error occurred: failed calling webhook "w.example": timeout',
      ),
    ],
    ['a misspelt field', api(400, 'BadRequest', 'strict decoding error: unknown field "spec.x"')],
    [
      'a field that the definition does not have',
      api(500, '', '.spec.x: field not declared in schema'),
    ],
    ['an object that is too large', api(413, 'RequestEntityTooLarge')],
    [
      'a field of another manager',
      api(409, 'Conflict', 'no', {
        causes: [{ reason: 'FieldManagerConflict', field: '.a', message: 'conflict with "hpa"' }],
      }),
    ],
    [
      'a namespace that does not exist',
      api(404, 'NotFound', 'namespaces "b" not found', { kind: 'namespaces', name: 'b' }),
    ],
    ['a kind that is not served', api(404, 'NotFound')],
    [
      'a request that the filter of the ambassador refuses',
      new AmbassadorError('no', { code: 'AMBASSADOR_FORBIDDEN', fate: 'not-sent' }),
    ],
    ['an owner that the API does not accept', new OperatorError('cannot own it', own)],
    [
      'an existing object of the same name',
      new AlreadyOwnedError(configMaps, { metadata: { namespace: 'shop', name: 'a' } }),
    ],
  ])('a failure that does not go away without a change is reported: %s', (_, error) => {
    expect(notesOf(error)).toEqual([
      expect.stringMatching(/^configmaps shop\/a (?:is refused: |exists)/),
    ]);
  });

  test('a refusal is reported once if it is the cause of the thrown error, or is in a thrown AggregateError', () => {
    const error = new OperatorError('cannot own it', own);

    expect(notesOf(error, new Error('no child', { cause: error }))).toHaveLength(1);
    expect(notesOf(error, new AggregateError([new Error('a'), error]))).toHaveLength(1);
    expect(notesOf(error, new Error('another one'))).toEqual([]);
  });
});

describe('[child 8] the note about a refused child', () => {
  test('the note about a refused child is one line without control characters, whatever a webhook returns', () => {
    const text = 'admission webhook "w" denied the request: line 1\r\nline 2\u001b[31m\u202e\tend';

    const [note = ''] = notesOf(api(403, 'Forbidden', text));

    expect(note).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(note).toContain('line 1');
    expect(note).toContain('end');
  });

  test('the note about a refused child contains the child, the error and the remedy, even if they are long', () => {
    const why = `metadata.name: Invalid value: "x": must be no more than 63 characters ${'y'.repeat(3_000)}`;
    const causes = [
      { reason: 'FieldValueInvalid', field: 'metadata.name', message: why.slice(15) },
    ];
    const children = new RefusedChildren();
    const error = api(422, 'Invalid', `services "x" is invalid: ${why}`, { causes });
    children.failed({ ...STATED, name: 'x'.repeat(5_000) }, error);

    const [note = ''] = children.notes(error);

    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
    expect(note).toContain('childName');
  });

  test('the note about a refused child mentions childName() only if a name or a label is too long', () => {
    const refused = (field: string, message: string) =>
      notesOf(
        api(422, 'Invalid', 'no', { causes: [{ reason: 'FieldValueInvalid', field, message }] }),
      )[0];
    const long = 'Invalid value: "x": must be no more than 63 bytes';

    expect(refused('spec.template.labels', long)).toContain('childName');
    expect(refused('metadata.generateName', long)).toContain('childName');
    expect(refused('spec.text', long)).not.toContain('childName');
    expect(
      refused('metadata.labels', 'Invalid value: "x": name part must be no more than 63 bytes'),
    ).not.toContain('childName');
    expect(refused('spec.serviceName', 'Required value')).not.toContain('childName');
  });

  test('at most ten refused children are reported', () => {
    const children = new RefusedChildren();
    const errors = Array.from({ length: 12 }, () => api(403, 'Forbidden', 'exceeded quota: few'));
    for (const [at, error] of errors.entries())
      children.failed({ ...STATED, name: `n${at}` }, error);

    expect(children.notes(errors[0] ?? expect.unreachable())).toHaveLength(10);
  });

  test('the note about a child with generateName says that the server generates the name', () => {
    const children = new RefusedChildren();
    const error = api(403, 'Forbidden', 'exceeded quota: few');
    children.failed({ ...STATED, resource: secrets, name: undefined }, error);

    expect(children.notes(error)).toEqual([
      expect.stringContaining('secrets shop/(name generated by the server) is refused'),
    ]);
  });
});

test('[child 8] a refused child is reported once, even if its error contains its name in another format', () => {
  const children = new RefusedChildren();
  const error = new TerminalError('the source configmaps does not select the child', {
    context: { resource: 'configmaps', child: 'n/lamp-*' },
  });
  children.failed({ resource: configMaps, namespace: 'n' }, error);

  expect(children.notes(error)).toHaveLength(1);
  expect(new RefusedChildren().notes(error)).toHaveLength(1);
});

describe('[child 8] which calls of an attempt are reported', () => {
  const error = api(403, 'Forbidden', 'exceeded quota: few');
  const created: Call = {
    verb: 'create',
    resource: configMaps,
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: STATED },
    options: {},
  };

  const declared = reconciling(async () => {});
  const object = {
    apiVersion: 'example.dev/v1',
    kind: 'ConfigSet',
    metadata: { name: 'set', namespace: 'shop', uid: 'u1' },
  };

  /** The Events that are recorded when `call` fails after `before`. */
  async function notesAfter(
    call: Call,
    before: () => void = () => {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<readonly string[]> {
    const refusedChildren = new RefusedChildren();
    const facts = { key: keyOf(object), object, refusedChildren, signal };
    const next = async (): Promise<never> => {
      before();
      throw error;
    };
    const observed = withRefusals((inner) => inner, declared, facts)(next);
    await expect(observed(call)).rejects.toBe(error);
    return refusedChildren.notes(error);
  }

  test('a refused write or delete of a child is reported, whatever part of the code sent it', async () => {
    const removed: Call = { verb: 'delete', resource: configMaps, target: STATED, options: {} };

    expect(await notesAfter(created)).toHaveLength(1);
    expect(await notesAfter(removed)).toHaveLength(1);
  });

  test('refusals of other objects, of reads and of dry runs are not reported', async () => {
    const read: Call = { verb: 'get', resource: configMaps, target: STATED, options: {} };
    const own: Call = { ...created, resource: configSets, object };
    const other: Call = { ...created, resource: secrets };
    const owned = { ...STATED, ownerReferences: [controllerReference(object, configSets)] };

    expect(await notesAfter(own)).toEqual([]);
    expect(await notesAfter(other)).toEqual([]);
    expect(await notesAfter(read)).toEqual([]);
    expect(await notesAfter({ ...other, object: { ...object, metadata: owned } })).toHaveLength(1);
    expect(await notesAfter({ ...created, options: { dryRun: true } })).toEqual([]);
  });

  test('a write that is aborted because the attempt ends is not reported', async () => {
    const ending = new AbortController();

    expect(await notesAfter(created, () => ending.abort(), ending.signal)).toEqual([]);
  });
});
