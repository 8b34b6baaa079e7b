/** Hooks that answer reviews of the embedded API server: real processes, and what a client sees. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { CONFIG_MAPS, reviewHook, startReviewing, written } from '../support/reviewing.ts';

const NAME = 'colours.shop.example.com';

/** Denies red, warns of green, fails at black, and allows everything else. */
const COLOURS = reviewHook(
  { kubernetesValidating: [{ name: NAME, rules: [CONFIG_MAPS] }] },
  `const { colour } = context.review.request.object.data;
if (colour === 'black') { console.error('failed at', colour); process.exit(1); }
if (colour === 'red') answer({ allowed: false, message: 'red is for stops' });
else answer({ allowed: true, warnings: colour === 'green' ? ['green will go away', 'use blue'] : [] });`,
);

const coloured = (name: string, colour: string) => ({ metadata: { name }, data: { colour } });

test('[hooks 26] a hook can allow a write, deny a write with a message, and warn about a write', async () => {
  const place = await startReviewing({ 'colours.js': COLOURS });

  const blue = await written(place, coloured('a', 'blue'));
  const green = await written(place, coloured('b', 'green'));
  const red = await written(place, coloured('c', 'red'));

  expect(blue).toMatchObject({ status: 201, warning: null });
  expect(green).toMatchObject({
    status: 201,
    warning: '299 - "green will go away", 299 - "use blue"',
  });
  expect(red).toMatchObject({
    status: 403,
    body: { message: `admission webhook "${NAME}" denied the request: red is for stops` },
  });
});

test('[hooks 26] a hook that exits with 1 denies the write, and the message contains the hook and nothing of the object', async () => {
  const place = await startReviewing({ 'colours.js': COLOURS });

  const black = await written(place, coloured('night', 'black'));

  const { status, body } = black;
  const said =
    /^admission webhook "colours.shop.example.com" denied the request: Hook failed: colours.js, and /;
  expect(status).toBe(500);
  expect(body.message).toMatch(said);
  expect(body.message).not.toContain('black');
  const failed = place.operator.log.filter(({ level }) => level === 'error');
  expect(failed.map(({ fields }) => String(fields.err))).toEqual([
    expect.stringContaining('colours.js: the hook ended with exit code 1'),
  ]);
});

test('a mutating hook changes the object by a JSON patch', async () => {
  const patch = [{ op: 'add', path: '/data/size', value: '3' }];
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  const hook = reviewHook(
    { kubernetesMutating: [{ name: 'sizes.shop.example.com', rules: [CONFIG_MAPS] }] },
    `answer({ allowed: true, patch: ${JSON.stringify(encoded)} });`,
  );
  const place = await startReviewing({ 'sizes.js': hook });

  const { body } = await written(place, { metadata: { name: 'box' }, data: { colour: 'blue' } });

  expect(body.data).toEqual({ colour: 'blue', size: '3' });
});

test('a standby answers reviews, too', async () => {
  const place = await startReviewing({ 'colours.js': COLOURS });
  await eventually(() => place.operator.leads);
  const standby = await place.replica();
  const path = place.program.webhooks[0]?.path ?? '';

  const response = await fetch(`${standby.webhookAddress}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u1',
        operation: 'CREATE',
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        object: { apiVersion: 'v1', kind: 'ConfigMap', ...coloured('a', 'red') },
      },
    }),
  });

  expect(standby.leads).toBe(false);
  expect(await response.json()).toMatchObject({
    response: { uid: 'u1', allowed: false, status: { message: 'red is for stops' } },
  });
});

test('a hanging hook is ended at the time limit of its webhook, and the failure policy decides', async () => {
  const hanging = (failurePolicy: string) =>
    reviewHook(
      {
        kubernetesValidating: [
          // Longer than a process takes to say who it is, also on a slow machine.
          { name: NAME, rules: [CONFIG_MAPS], timeoutSeconds: 4, failurePolicy },
        ],
      },
      `fs.writeFileSync(__filename + '.pid.txt', String(process.pid));
setInterval(() => {}, 1_000);`,
    );
  const closed = await startReviewing({ 'hang.js': hanging('Fail') });
  const open = await startReviewing({ 'hang.js': hanging('Ignore') });

  const [refused, passed] = await Promise.all([
    written(closed, coloured('a', 'blue')),
    written(open, coloured('a', 'blue')),
  ]);

  expect(refused.status).toBe(500);
  expect(refused.body.message).toContain(`failed calling webhook "${NAME}"`);
  expect(passed.status).toBe(201);
  const pid = Number(await readFile(join(closed.dir, 'hang.js.pid.txt'), 'utf8'));
  await eventually(() => !isAlive(pid), { timeoutMs: 20_000 });
});

test('together with the review, a hook gets the snapshots that its binding lists', async () => {
  const hook = reviewHook(
    {
      kubernetes: [
        {
          name: 'limits',
          kind: 'Secret',
          jqFilter: '.metadata.name',
          keepFullObjectsInMemory: false,
          executeHookOnEvent: [],
        },
      ],
      kubernetesValidating: [
        { name: NAME, rules: [CONFIG_MAPS], includeSnapshotsFrom: ['limits'] },
      ],
    },
    `answer({ allowed: false, message: [context.type, context.binding, context.review.kind,
  JSON.stringify(context.snapshots)].join(' ') });`,
  );
  const place = await startReviewing({ 'limits.js': hook });
  const metadata = { name: 'most', namespace: place.namespace };
  await place.env.create({ apiVersion: 'v1', kind: 'Secret', metadata });

  const said = await eventually(async () => {
    const { body } = await written(place, coloured('a', 'blue'));
    return String(body.message).includes('most') && String(body.message);
  });

  expect(said).toContain(`Validating ${NAME} AdmissionReview {"limits":[{"filterResult":"most"}]}`);
});

test('an answer with patches of other objects is refused, because a hook must not write during a review', async () => {
  const hook = reviewHook(
    { kubernetesValidating: [{ name: NAME, rules: [CONFIG_MAPS] }] },
    `answer({ allowed: true });
fs.writeFileSync(process.env.KUBERNETES_PATCH_PATH,
  JSON.stringify({ operation: 'Delete', kind: 'ConfigMap', name: 'x' }));`,
  );
  const place = await startReviewing({ 'writes.js': hook });

  const { status, body } = await written(place, coloured('a', 'blue'));

  expect(status).toBe(500);
  expect(body.message).toContain('Hook failed: writes.js');
});

test.each<[what: string, leaves: string, problem: string]>([
  [
    'a link in place of its answer',
    `fs.unlinkSync(process.env.ADMISSION_RESPONSE_PATH);
fs.symlinkSync('/etc/hostname', process.env.ADMISSION_RESPONSE_PATH);`,
    'links.js: the program left a file that cannot be opened',
  ],
  [
    'an answer of more than 10 MB',
    `answer({ allowed: true, message: 'x'.repeat(11_000_000) });`,
    'links.js: the program left a file of more than',
  ],
  [
    'a metric that is wrong',
    `answer({ allowed: true });
fs.writeFileSync(process.env.METRICS_PATH, '{"name": "a", "add": -1}');`,
    'links.js: its metrics file is refused',
  ],
])('if a hook that reviews a write returns %s, the write is denied', async (_, leaves, problem) => {
  const hook = reviewHook({ kubernetesValidating: [{ name: NAME, rules: [CONFIG_MAPS] }] }, leaves);
  const place = await startReviewing({ 'links.js': hook });

  const { body } = await written(place, coloured('a', 'blue'));

  expect(body.message).toContain('Hook failed: links.js');
  const failed = place.operator.log.filter(({ level }) => level === 'error');
  expect(failed.map(({ fields }) => String(fields.err))).toEqual([
    expect.stringContaining(problem),
  ]);
});

test('a Pod still answers reviews while it stops, until it accepts no more connections', async () => {
  const place = await startReviewing({ 'colours.js': COLOURS }, {}, { POD_NAME: 'colours-0' });
  const ask = async () => String((await written(place, coloured('a', 'red'))).body.message);

  const stopped = place.operator.stop();
  const answers: string[] = [];
  for (let said = await ask(); !said.includes('failed calling webhook'); said = await ask()) {
    answers.push(said);
  }
  await stopped;

  // All of them come after the runnables have been told to stop, but for the first ones.
  expect(answers.length).toBeGreaterThan(1);
  expect(new Set(answers)).toEqual(
    new Set([`admission webhook "${NAME}" denied the request: red is for stops`]),
  );
});

const BOATS = {
  kind: 'CustomResourceDefinition',
  spec: {
    group: 'harbour.example',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [{ name: 'v1' }],
  },
};

test.each<[what: string, definitions: readonly object[], waitsFor: string]>([
  ['is unknown', [], 'the kind Boat'],
  ['is known only by its definition', [BOATS], 'boats.harbour.example: it is not served'],
])('if the kind of a snapshot %s, the hook that needs the snapshot denies writes and gives the reason, and other hooks work', async (_, definitions, waitsFor) => {
  const hook = reviewHook(
    {
      kubernetes: [{ name: 'boats', kind: 'Boat', apiVersion: 'harbour.example/v1' }],
      kubernetesValidating: [{ name: NAME, rules: [CONFIG_MAPS], includeSnapshotsFrom: ['boats'] }],
    },
    'answer({ allowed: true });',
  );
  const other = reviewHook(
    { kubernetesValidating: [{ name: 'other.shop.example.com', rules: [CONFIG_MAPS] }] },
    `answer({ allowed: true, warnings: ['the other was asked'] });`,
  );
  const files = { 'boats.js': hook, 'other.js': other };
  const place = await startReviewing(files, { definitions });

  const said = await eventually(async () => {
    const { warning } = await written(place, coloured('a', 'blue'));
    expect(warning).toContain('the other was asked');
    return (
      place.operator.log.find(({ fields }) => String(fields.err).includes('boats.js')) ?? false
    );
  });

  expect(String(said.fields.err)).toContain(
    `boats.js: a snapshot that it shows is missing: the binding waits for ${waitsFor}`,
  );
});

test("runs of a hook that answers reviews are counted, and the hook's metrics are served", async () => {
  const hook = reviewHook(
    { kubernetesValidating: [{ name: NAME, rules: [CONFIG_MAPS] }] },
    `answer({ allowed: true });
fs.writeFileSync(process.env.METRICS_PATH, JSON.stringify({ name: 'colours_seen', add: 1 }));`,
  );
  const place = await startReviewing({ 'counts.js': hook });

  await written(place, coloured('a', 'blue'));

  const path = `/validate/${NAME}`;
  const { meter } = place.operator;
  expect(meter.value('chancery_webhook_reviews_total', { webhook: path, outcome: 'allowed' })).toBe(
    1,
  );
  const labels = { hook: 'counts.js', binding: NAME, queue: 'webhooks' };
  expect(meter.value('shell_operator_hook_run_success_total', labels)).toBe(1);
  expect(await place.program.metrics.text()).toContain('colours_seen{hook="counts.js"} 1');
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
