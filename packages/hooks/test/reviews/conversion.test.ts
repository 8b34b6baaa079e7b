/** Hooks that convert objects between versions: chains over several hooks, and real processes behind the embedded server. */
import { expect, test } from 'vitest';
import { OperatorError } from '../../../../operator/core/errors.ts';
import { answerConversion } from '../../../../operator/webhook/answer-conversion.ts';
import type { Hook } from '../../src/hook.ts';
import { hookConversions } from '../../src/reviews/hook-conversions.ts';
import type { AskReview } from '../../src/reviews/hook-reviews.ts';
import { CRD_NAME, converting, cronTab, crontabs, GROUP } from '../support/crontabs.ts';
import { configOf } from '../support/documents.ts';
import { reviewHook, startReviewing } from '../support/reviewing.ts';

const { signal } = new AbortController();

function hookWith(name: string, ...steps: readonly string[]): Hook {
  const config = configOf(JSON.stringify({ configVersion: 'v1', ...converting(...steps) }));
  return { name, path: `/hooks/${name}`, config, rights: undefined };
}

interface Asked {
  readonly hook: string;
  readonly from: string;
  readonly to: string;
  readonly review: {
    readonly request: { readonly uid: string; readonly desiredAPIVersion: string };
  };
  readonly objects: readonly ReturnType<typeof cronTab>[];
}

/** Asks hooks to convert. @param leave - the response file of a start. */
async function converted(
  hooks: readonly Hook[],
  objects: readonly object[],
  to: string,
  leave: (asked: Asked) => string,
) {
  const asked: Asked[] = [];
  const ask: AskReview = async ({ name: hook }, item) => {
    if (item.type !== 'Conversion') throw new Error('not a conversion');
    const review = JSON.parse([...item.review].join(''));
    const { fromVersion: from, toVersion } = item;
    const one = { hook, from, to: toVersion, review, objects: review.request.objects };
    asked.push(one);
    return { admission: '', conversion: leave(one) };
  };
  const versions = ['v1alpha1', 'v1alpha2', 'v1beta1', 'v1'];
  const resources = hookConversions(hooks, [crontabs(...versions)], ask);
  const failures: Error[] = [];
  const { response } = await answerConversion(
    resources,
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'u7', desiredAPIVersion: `${GROUP}/${to}`, objects },
    },
    { signal, onFailure: (error) => failures.push(error) },
  );
  return { response, asked, failures };
}

/** Converts as a right hook does. @param change - what each object becomes besides. */
const rightly =
  (change: (object: ReturnType<typeof cronTab>) => object = () => ({})) =>
  ({ to, objects }: Asked): string =>
    JSON.stringify({
      convertedObjects: objects.map((object) => ({
        ...object,
        apiVersion: `${GROUP}/${to.replace(/.*\//, '')}`,
        ...change(object),
      })),
    });

const OBJECTS = [cronTab('v1alpha1', 'a', { n: 1 }), cronTab('v1alpha1', 'b', { n: 2 })];

test('[hooks 27] objects are converted in the fewest steps, even by several hooks, and each hook starts once for all objects', async () => {
  const hooks = [
    hookWith('one-by-one.sh', 'v1alpha1 v1alpha2', 'v1alpha2 v1beta1', 'v1beta1 v1'),
    hookWith('ahead.sh', `${GROUP}/v1alpha1 ${GROUP}/v1beta1`, 'v1 v1beta1'),
  ];

  const { response, asked } = await converted(hooks, OBJECTS, 'v1', rightly());

  const way = asked.map(({ hook, from, to, objects }) => [hook, from, to, objects.length]);
  expect(way).toEqual([
    ['ahead.sh', `${GROUP}/v1alpha1`, `${GROUP}/v1beta1`, 2],
    ['one-by-one.sh', 'v1beta1', 'v1', 2],
  ]);
  expect(asked.map(({ review }) => review.request)).toMatchObject([
    { uid: 'u7', desiredAPIVersion: `${GROUP}/v1beta1` },
    { uid: 'u7', desiredAPIVersion: `${GROUP}/v1` },
  ]);
  expect(response.result).toEqual({ status: 'Success' });
  expect(response.convertedObjects).toEqual([
    cronTab('v1', 'a', { n: 1 }),
    cronTab('v1', 'b', { n: 2 }),
  ]);
});

test('if two chains of conversions are equally short, the chain of the first hook is used', async () => {
  const hooks = [
    hookWith('first.sh', 'v1alpha1 v1beta1', 'v1beta1 v1'),
    hookWith('second.sh', 'v1alpha1 v1alpha2', 'v1alpha2 v1'),
  ];

  const { asked } = await converted(hooks, OBJECTS, 'v1', rightly());
  const reversed = await converted(hooks.toReversed(), OBJECTS, 'v1', rightly());

  expect(asked.map(({ hook }) => hook)).toEqual(['first.sh', 'first.sh']);
  expect(reversed.asked.map(({ hook }) => hook)).toEqual(['second.sh', 'second.sh']);
});

test('objects of several versions keep their order, and hooks get no objects that already have the wanted version', async () => {
  const mixed = [
    cronTab('v1', 'done', {}),
    cronTab('v1beta1', 'near', {}),
    cronTab('v1alpha1', 'far', {}),
    cronTab('v1beta1', 'near-too', {}),
  ];

  const { response, asked } = await converted(
    [hookWith('a.sh', 'v1alpha1 v1beta1', 'v1beta1 v1')],
    mixed,
    'v1',
    rightly(),
  );

  expect(asked.map(({ objects }) => objects.map(({ metadata }) => metadata.name))).toEqual([
    ['near', 'near-too'],
    ['far'],
    ['far'],
  ]);
  expect(response.convertedObjects).toEqual(
    mixed.map((object) => ({ ...object, apiVersion: `${GROUP}/v1` })),
  );
});

test('labels and annotations are exactly as the hook wrote them, even if the hook removed some', async () => {
  const before = cronTab(
    'v1beta1',
    'a',
    {},
    { labels: { old: 'yes' }, annotations: { note: 'x' } },
  );
  const metadata = { name: 'a', namespace: 'farm', uid: 'uid-of-a', annotations: { note: 'y' } };

  const { response } = await converted(
    [hookWith('a.sh', 'v1beta1 v1')],
    [before],
    'v1',
    rightly(() => ({ metadata })),
  );

  expect(response.convertedObjects).toEqual([{ ...cronTab('v1', 'a', {}), metadata }]);
});

test('an integer that is too large for a number of JavaScript keeps all its digits', async () => {
  const big = 2n ** 60n + 1n;

  const { response } = await converted(
    [hookWith('a.sh', 'v1beta1 v1')],
    [cronTab('v1beta1', 'a', { big })],
    'v1',
    () =>
      `{"convertedObjects": [{"apiVersion": "${GROUP}/v1", "kind": "CronTab", "metadata": {}, "spec": {"big": ${big}}}]}`,
  );

  expect(response.convertedObjects).toMatchObject([{ spec: { big } }]);
});

test('[hooks 27] the failedMessage of a hook reaches the client, and does not appear in the log', async () => {
  const { response, failures } = await converted(
    [hookWith('a.sh', 'v1beta1 v1')],
    [cronTab('v1beta1', 'a', {})],
    'v1',
    () => '{"failedMessage": "hunter2 is no schedule"}',
  );

  expect(response).toEqual({
    uid: 'u7',
    convertedObjects: [],
    result: { status: 'Failure', message: 'hunter2 is no schedule' },
  });
  expect(failures.map(({ message }) => message)).toEqual(['a.sh refused a conversion']);
});

test('the error for a client contains the versions between which no hook converts', async () => {
  const { response } = await converted(
    [hookWith('a.sh', 'v1beta1 v1')],
    [cronTab('v1', 'a', {})],
    'v1beta1',
    rightly(),
  );

  expect(response.result).toEqual({
    status: 'Failure',
    message: `no hook converts ${CRD_NAME} from v1 to v1beta1: add a binding for it, or for a version between them`,
  });
});

test.each<[what: string, leave: (asked: Asked) => string, problem: string]>([
  ['nothing', () => '', 'the file CONVERSION_RESPONSE_PATH is empty'],
  ['two answers', (asked) => rightly()(asked).repeat(2), 'has 2 answers: write one'],
  ['an incomplete answer', (asked) => rightly()(asked).slice(0, -3), 'the file ends inside it'],
  ['no objects', () => '{}', 'convertedObjects has 0 objects for 2'],
  [
    'fewer objects',
    ({ objects, ...asked }) => rightly()({ ...asked, objects: objects.slice(1) }),
    'convertedObjects has 1 objects for 2',
  ],
  [
    'an object of the old version',
    rightly(({ apiVersion }) => ({ apiVersion })),
    `convertedObjects[0] must be an object of ${GROUP}/v1`,
  ],
  [
    'an object of another kind',
    rightly(() => ({ kind: 'hunter2' })),
    'convertedObjects[0]: a.sh returned an object of another kind',
  ],
  [
    'another name',
    rightly(() => ({ metadata: { name: 'hunter2' } })),
    'convertedObjects[0]: a.sh changes metadata: name may not change',
  ],
  [
    'another uid',
    rightly(({ metadata }) => ({ metadata: { ...metadata, uid: 'hunter2' } })),
    'convertedObjects[0]: a.sh changes metadata: uid may not change',
  ],
  [
    'a new field of metadata',
    rightly(({ metadata }) => ({ metadata: { ...metadata, finalizers: ['hunter2'] } })),
    'convertedObjects[0]: a.sh changes metadata: a new field may not change',
  ],
  [
    'labels that are numbers',
    rightly(({ metadata }) => ({ metadata: { ...metadata, labels: { hunter2: 2 } } })),
    'convertedObjects[0]: a.sh changes metadata: labels are no texts',
  ],
  ['a list in place of an object', () => '{"convertedObjects": [[], []]}', 'must be an object of'],
])('a hook that returns %s makes the conversion fail, and the log says why', async (_, leave, problem) => {
  const objects = [cronTab('v1beta1', 'a', {}), cronTab('v1beta1', 'b', {})];
  const { response, failures } = await converted(
    [hookWith('a.sh', 'v1beta1 v1')],
    objects,
    'v1',
    leave,
  );

  expect(response).toEqual({
    uid: 'u7',
    convertedObjects: [],
    result: {
      status: 'Failure',
      message: "Hook failed: a.sh, and the operator's log says why",
    },
  });
  const [failure] = failures;
  expect(failure?.message).toContain(problem);
  expect(failure?.message).toContain('a.sh');
  expect(failure?.message).not.toContain('hunter2');
});

test("a failed hook makes the conversion fail, and the client reads only the hook's name", async () => {
  const { response, failures } = await converted(
    [hookWith('a.sh', 'v1beta1 v1')],
    [cronTab('v1beta1', 'a', {})],
    'v1',
    () => {
      throw new OperatorError('a.sh: the hook ended with exit code 3', {
        code: 'USER_CODE',
        layer: 'user-code',
      });
    },
  );

  expect(response.result).toEqual({
    status: 'Failure',
    message: "Hook failed: a.sh, and the operator's log says why",
  });
  expect(failures.map(({ message }) => message)).toEqual(['a.sh: the hook ended with exit code 3']);
});

test('a chain of conversions stops at a hanging hook once the time limit has passed', async () => {
  const limited = new AbortController();
  const asked: string[] = [];
  const ask: AskReview = async ({ name }) => {
    asked.push(name);
    limited.abort(
      new OperatorError('the conversion has not ended within 29000 ms', {
        code: 'USER_CODE',
        layer: 'user-code',
      }),
    );
    return new Promise(() => {});
  };
  const hooks = [hookWith('hangs.sh', 'v1alpha1 v1beta1'), hookWith('next.sh', 'v1beta1 v1')];
  const resources = hookConversions(hooks, [crontabs('v1alpha1', 'v1beta1', 'v1')], ask);
  const failures: Error[] = [];

  const { response } = await answerConversion(
    resources,
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'u7', desiredAPIVersion: `${GROUP}/v1`, objects: OBJECTS },
    },
    { signal: limited.signal, onFailure: (error) => failures.push(error) },
  );

  expect(asked).toEqual(['hangs.sh']);
  expect(response.result.message).toBe("Hook failed: hangs.sh, and the operator's log says why");
  expect(failures.map(({ message }) => message)).toEqual([
    'hangs.sh: the conversion has not ended within 29000 ms',
  ]);
});

/** `schedule` of v1alpha1 becomes `schedules` of v1beta1, and back. */
const LISTS = reviewHook(
  converting('v1alpha1 v1beta1', 'v1beta1 v1alpha1'),
  `const { toVersion, review: { request: { objects } } } = context;
convert({
  convertedObjects: objects.map(({ spec: { schedule, schedules }, ...object }) => ({
    ...object,
    apiVersion: '${GROUP}/' + toVersion,
    spec: toVersion === 'v1beta1' ? { schedules: [schedule] } : { schedule: schedules[0] },
  })),
});`,
);

/** Texts of v1beta1 become objects of v1, and back. It refuses what it cannot read. */
const OBJECTS_OF_V1 = reviewHook(
  converting('v1beta1 v1', 'v1 v1beta1'),
  `const { toVersion, review: { request: { objects } } } = context;
const bad = objects.find(({ spec }) => spec.schedules.includes('never'));
if (bad !== undefined) {
  convert({ failedMessage: bad.metadata.name + ' has no schedule' });
} else {
  convert({
    convertedObjects: objects.map(({ spec: { schedules }, ...object }) => ({
      ...object,
      apiVersion: '${GROUP}/' + toVersion,
      spec: { schedules: schedules.map((each) => toVersion === 'v1' ? { cron: each } : each.cron) },
    })),
  });
}`,
);

test('[hooks 27] a client reads v1 of an object written as v1alpha1, through two hooks, and gets the message of a hook that refuses', async () => {
  const place = await startReviewing(
    { 'lists.js': LISTS, 'objects.js': OBJECTS_OF_V1 },
    { definitions: [crontabs('v1alpha1', 'v1beta1', 'v1')] },
  );
  const at = { namespace: place.namespace, uid: undefined };
  const write = (name: string, schedule: string) =>
    place.env.create(cronTab('v1alpha1', name, { schedule }, at));

  await write('hourly', '0 * * * *');
  const stored = await place.env.get(`${GROUP}/v1`, 'CronTab', place.namespace, 'hourly');
  const old = await place.env.get(`${GROUP}/v1alpha1`, 'CronTab', place.namespace, 'hourly');

  expect(stored).toMatchObject({ spec: { schedules: [{ cron: '0 * * * *' }] } });
  expect(old).toMatchObject({ spec: { schedule: '0 * * * *' } });
  await expect(write('idle', 'never')).rejects.toThrow('idle has no schedule');
});
