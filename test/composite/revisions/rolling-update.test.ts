/** Rolling updates, one reconcile after the other, with an engine that does as little as it can. */
import { expect, test } from 'vitest';
import { Rollout, type RolloutOptions } from './rollout.ts';

const FIVE = ['a', 'b', 'c', 'd', 'e'];

/** A parent whose children are all there, ready and sweet, and whose spec now wants them sour. */
async function changed(options: RolloutOptions = {}): Promise<Rollout> {
  const rollout = new Rollout(options);
  await rollout.settle();
  rollout.conditions.length = 0;
  rollout.edit({ taste: 'sour' });
  return rollout;
}

/** Which children are written in each reconcile, until all are sour. Children become ready in between. */
async function steps(rollout: Rollout): Promise<readonly string[]> {
  const steps: string[] = [];
  for (let round = 0; round < 50; round++) {
    const from = rollout.children.writes.length;
    await rollout.reconcile();
    const written = rollout.children.writes.slice(from).join(', ');
    if (written !== '') steps.push(written);
    rollout.observeAll();
    if (rollout.conditions.at(-1) === 'True OnLatestRevision') return steps;
  }
  throw new Error('the rolling update does not end');
}

test.each([
  ['namespaced', { isClusterScoped: false }],
  ['cluster-scoped', { isClusterScoped: true }],
] as const)('[metacontroller 5] [metacontroller M1] five children of a %s parent are recreated one by one', async (_, options) => {
  const rollout = await changed({ ...options, names: FIVE });

  expect(await steps(rollout)).toEqual(
    FIVE.flatMap((name) => [`delete ${name}`, `create ${name}`]),
  );

  expect(rollout.tastes()).toEqual(FIVE.map(() => 'sour'));
  const moved = ['False RolloutProgressing', 'False RolloutWaiting'];
  expect(rollout.conditions).toEqual([
    ...[...moved, ...moved, ...moved, ...moved],
    'False RolloutProgressing',
    'True OnLatestRevision',
  ]);
});

test.each([
  'metacontroller',
  'chancery',
] as const)('[metacontroller 6] [metacontroller M13] with `rolling-apply`, children are changed in place (%s)', async (format) => {
  const rollout = await changed({ update: 'rolling-apply', format });

  expect(await steps(rollout)).toEqual(['patch a', 'patch b', 'patch c']);

  expect(rollout.stored.all.size).toBe(1);
});

test('[contract 67] [metacontroller 5] while an updated child is not ready, no other child is updated', async () => {
  const rollout = await changed({ names: FIVE });
  await rollout.reconcile(); // deletes a
  await rollout.reconcile(); // creates a
  const before = rollout.children.writes.length;

  const missing = await rollout.plan();
  rollout.observe('a', false);
  const unready = await rollout.plan();
  for (let round = 0; round < 5; round++) await rollout.reconcile();

  expect(missing.condition).toEqual({
    type: 'Updated',
    status: 'False',
    reason: 'RolloutWaiting',
    message: 'waiting for Pod a: it has no condition Ready',
  });
  expect(unready.condition.message).toBe(
    'waiting for Pod a: it has status "False" in condition Ready, not "True"',
  );
  expect(rollout.children.writes).toHaveLength(before);
  expect(rollout.tastes()).toEqual(['sour', 'sweet', 'sweet', 'sweet', 'sweet']);
});

test('[contract 72] the messages of a rolling update contain the child and the revision', async () => {
  const rollout = await changed({ isClusterScoped: true, names: ['a', 'b'] });

  const progressing = await rollout.plan();
  await steps(rollout);
  const settled = await rollout.plan();

  const latest = rollout.asked[0]?.name;
  expect(progressing.condition.message).toBe(`Pod far/a goes to the latest revision, ${latest}`);
  expect(settled.condition).toEqual({
    type: 'Updated',
    status: 'True',
    reason: 'OnLatestRevision',
    message: `latest ControllerRevision: ${latest}`,
  });
});

test('[contract 70] [metacontroller 6] an update waits until a child that was changed in place has observed its generation', async () => {
  const rollout = await changed({ update: 'rolling-apply' });
  await rollout.reconcile(); // changes a, whose status still is that of its former generation

  const behind = await rollout.plan();
  rollout.observe('a', true);
  const seen = await rollout.plan();

  expect(behind.condition.message).toBe(
    'waiting for Pod a: it has not observed its latest generation',
  );
  expect(seen.condition.reason).toBe('RolloutProgressing');
});

test('[contract 70] a rolling update does not wait for observedGeneration if the child does not have it', async () => {
  const rollout = await changed({ update: 'rolling-apply' });
  await rollout.reconcile();
  rollout.children.change('a', (child) => ({
    ...child,
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }));

  expect((await rollout.plan()).condition.reason).toBe('RolloutProgressing');
});

test('[metacontroller 6] a second change during a rolling update creates a third revision; in the end one revision is left', async () => {
  const rollout = await changed({ update: 'rolling-apply' });
  await rollout.reconcile();
  rollout.observeAll();
  rollout.edit({ taste: 'bitter' });

  await rollout.reconcile();

  expect(rollout.asked.map(({ taste }) => taste)).toEqual(['bitter', 'sour', 'sweet']);
  // The sour one was the only child of its revision, and goes first by the order of the answer.
  expect(rollout.tastes()).toEqual(['bitter', 'sweet', 'sweet']);
  expect(rollout.stored.all.size).toBe(2);
  rollout.observeAll();
  expect(await steps(rollout)).toEqual(['patch b', 'patch c']);
  expect(rollout.stored.all.size).toBe(1);
  expect(rollout.tastes()).toEqual(['bitter', 'bitter', 'bitter']);
});

test('a revision is kept while it has children, even if there are three revisions', async () => {
  const rollout = await changed({ update: 'rolling-apply', names: FIVE });
  for (let round = 0; round < 2; round++) {
    await rollout.reconcile();
    rollout.observeAll();
  }
  rollout.edit({ taste: 'bitter' });

  await rollout.reconcile();

  expect(rollout.tastes()).toEqual(['bitter', 'sour', 'sweet', 'sweet', 'sweet']);
  expect(rollout.stored.all.size).toBe(3);
});

test('after a change back to an older spec, its existing revision is used again', async () => {
  const rollout = await changed({ update: 'rolling-apply' });
  const [first] = rollout.stored.all.keys();
  await rollout.reconcile();
  rollout.observeAll();
  rollout.edit({ taste: 'sweet' });

  expect(await steps(rollout)).toEqual(['patch a']);

  expect([...rollout.stored.all.keys()]).toEqual([first]);
});

test('[contract 71] new children, and children that already match, do not wait for other children', async () => {
  const rollout = await changed({ names: ['a', 'b', 'c'] });
  rollout.children.change('c', (child) => ({ ...child, spec: { taste: 'sour' } }));
  rollout.names = ['a', 'b', 'c', 'new'];

  await rollout.reconcile();

  expect(rollout.children.writes.at(-1)).toBe('create new');
  expect(rollout.tastes()).toEqual(['sweet', 'sweet', 'sour', 'sour']);
  const plan = await rollout.plan();
  expect(plan.condition.message).toContain('Pod new');
});

test('a child that belongs to an older revision is restored to the state in that revision', async () => {
  const rollout = await changed({ update: 'rolling-apply' });
  await rollout.reconcile();
  rollout.children.change('c', (child) => ({ ...child, spec: { taste: 'tampered' } }));
  rollout.children.delete('b');

  await rollout.reconcile();

  expect(rollout.tastes()).toEqual(['sour', 'sweet', 'sweet']);
});

test('if the response for an older revision omits a child, the child is not changed until its turn comes', async () => {
  const rollout = await changed({ update: 'rolling-apply' });
  const answer = rollout.answer.bind(rollout);
  rollout.answer = (parent) =>
    answer(parent).filter(
      ({ object }) => rollout.parent === parent || object.metadata.name !== 'c',
    );

  await rollout.reconcile();

  expect(rollout.tastes()).toEqual(['sour', 'sweet', 'sweet']);
  rollout.observeAll();
  expect(await steps(rollout)).toEqual(['patch b', 'patch c']);
});

test('children that the latest revision does not return are deleted at once', async () => {
  const rollout = await changed({ names: FIVE, update: 'rolling-apply' });
  await rollout.reconcile();
  rollout.observeAll();
  rollout.names = ['a', 'd'];

  await rollout.reconcile();

  expect([...rollout.children.all.keys()]).toEqual(['a', 'd']);
  expect([...rollout.stored.all.values()].map(({ children }) => children)).toEqual([
    [{ apiGroup: '', kind: 'Pod', names: ['a', 'd'] }],
  ]);
});

test('[metacontroller M8] the list of children in a stored revision is corrected to the wanted children', async () => {
  const rollout = new Rollout();
  await rollout.settle();
  const [name = ''] = rollout.stored.all.keys();
  const unfiltered = [
    { apiGroup: '', kind: 'Pod', names: ['gone', 'a', 'c', 'b', 'gone-too'] },
    { apiGroup: 'apps', kind: 'Deployment', names: ['a'] },
  ];
  rollout.stored.change(name, (stored) => ({ ...stored, children: unfiltered }));

  await rollout.reconcile();

  expect(rollout.stored.all.get(name)?.children).toEqual([
    { apiGroup: '', kind: 'Pod', names: ['a', 'c', 'b'] },
  ]);
});

test('[metacontroller M8] a child listed in several revisions stays in only one of them, if possible in the latest', async () => {
  const rollout = await changed({ names: FIVE, update: 'rolling-apply' });
  await rollout.reconcile();
  rollout.observeAll();
  for (const name of rollout.stored.all.keys()) {
    const children = [{ apiGroup: '', kind: 'Pod', names: ['a', 'b', 'c', 'd', 'e'] }];
    rollout.stored.change(name, (stored) => ({ ...stored, children }));
  }

  await rollout.reconcile();

  expect([...rollout.stored.all.values()].map(({ children }) => children)).toEqual([
    [{ apiGroup: '', kind: 'Pod', names: FIVE }],
  ]);
});

test('[metacontroller M20] answers without a status are accepted for a rolling update', async () => {
  const rollout = await changed();
  const live = await rollout.read();
  const answers = live.asked.map(({ parent }) => rollout.answer(parent));

  const plan = await live.plan(answers, rollout.observed());

  expect(plan.condition.reason).toBe('RolloutProgressing');
});

test.each(
  Array.from({ length: 17 }, (_, writes) => [writes]),
)('[metacontroller 25] if the process ends after %d writes, the next one continues at the same child', async (writes) => {
  const rollout = await changed({ names: FIVE, update: 'rolling-apply' });
  rollout.life.writesLeft = writes;
  while (await rollout.survives()) {
    rollout.observeAll();
    if (rollout.conditions.at(-1) === 'True OnLatestRevision') break;
  }
  const sour = rollout.tastes().filter((taste) => taste === 'sour').length;
  rollout.observeAll();

  rollout.successor();
  const rest = await steps(rollout);

  expect(rest).toEqual(FIVE.slice(sour).map((name) => `patch ${name}`));
  expect(rollout.stored.all.size).toBe(1);
});

test('the function is called for at most ten revisions, and children of further revisions are not updated', async () => {
  const names = Array.from({ length: 14 }, (_, index) => `child-${index}`);
  const rollout = new Rollout({ names, update: 'rolling-apply' });
  await rollout.settle();
  // Each child gets a revision of its own.
  for (const [index, name] of names.entries()) {
    const patch = { spec: { taste: `taste ${index}` } };
    const children = [{ apiGroup: '', kind: 'Pod', names: [name] }];
    const stored = [...rollout.stored.all.values()][0] ?? expect.unreachable();
    const { uid: _, ...metadata } = stored.metadata;
    rollout.stored.create({
      ...stored,
      metadata: { ...metadata, name: `revision-${index}` },
      parentPatch: patch,
      children,
    });
    rollout.children.change(name, (child) => ({ ...child, spec: patch.spec }));
  }
  const [first = ''] = rollout.stored.all.keys();
  rollout.stored.delete(first);
  rollout.edit({ taste: 'last' });

  await rollout.reconcile();

  expect(rollout.asked).toHaveLength(10);
  expect(rollout.asked.map(({ taste }) => taste)).toEqual([
    'last',
    ...Array.from({ length: 9 }, (_, index) => `taste ${13 - index}`),
  ]);
  expect(rollout.tastes()).toEqual([
    'last',
    ...names.slice(1).map((_, index) => `taste ${index + 1}`),
  ]);
  rollout.observeAll();
  expect(await steps(rollout)).toEqual(names.slice(1).map((name) => `patch ${name}`));
});
