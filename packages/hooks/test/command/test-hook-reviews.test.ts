/** `chancery test-hook` with samples of reviews: what a hook answers, and what would be refused. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Collector } from '../../../../test/cli/collector.ts';
import { invoke } from '../../../../test/cli/invocation.ts';
import { configMapOf, reviewOf } from '../../../../test/webhook/reviews.ts';
import { converting, cronTab, GROUP } from '../support/crontabs.ts';
import { hooksFolder } from '../support/place.ts';
import { CONFIG_MAPS, reviewHook } from '../support/reviewing.ts';

const NAME = 'colours.shop.example.com';
const VALIDATING = { kubernetesValidating: [{ name: NAME, rules: [CONFIG_MAPS] }] };
const MUTATING = { kubernetesMutating: [{ name: NAME, rules: [CONFIG_MAPS] }] };

const textOf = ({ lines }: Collector): string => lines.map((line) => `${line}\n`).join('');

/** What `chancery test-hook` says of a hook. @param body - as in `reviewHook`. */
async function tested(config: object, body: string, sample: unknown) {
  const { dir } = await hooksFolder({ files: { 'hook.js': reviewHook(config, body) } });
  const { exit, stdout, stderr } = invoke(['test-hook', join(dir, 'hook.js'), '--context', '-'], {
    stdin: JSON.stringify(sample),
  });
  return { exit: await exit, stdout: textOf(stdout), stderr: textOf(stderr) };
}

test('[hooks 26] a sample can be a review, and the output contains the answer with its warnings', async () => {
  const { exit, stdout } = await tested(
    VALIDATING,
    `answer({ allowed: false, message: context.review.request.operation + ' of ' + context.binding,
  warnings: [context.type] });`,
    reviewOf(),
  );

  expect(stdout).toBe(`context ${NAME}: Validating, CREATE, ConfigMap web/shop
exit code 0
answer: denied: CREATE of ${NAME}
answer: warning: Validating
`);
  expect(exit).toBe(0);
});

test('the output contains the changes that a mutating hook makes', async () => {
  const patch = Buffer.from(
    JSON.stringify([
      { op: 'add', path: '/data/size', value: '3' },
      { op: 'remove', path: '/data/colour' },
    ]),
  ).toString('base64');

  const { exit, stdout } = await tested(MUTATING, `answer({ allowed: true, patch: '${patch}' });`, {
    review: { request: { operation: 'UPDATE', object: configMapOf({}) } },
  });

  expect(stdout).toContain(
    'answer: allowed\nanswer: add /data/size\nanswer: remove /data/colour\n',
  );
  expect(exit).toBe(0);
});

test.each<[what: string, body: string, said: string]>([
  [
    'nothing',
    '',
    'refused: the answer of hook.js is refused: the file ADMISSION_RESPONSE_PATH is empty',
  ],
  [
    'two answers',
    `fs.writeFileSync(process.env.ADMISSION_RESPONSE_PATH, '{"allowed":true}{"allowed":true}');`,
    'refused: the answer of hook.js is refused: the file ADMISSION_RESPONSE_PATH has 2 answers: write one',
  ],
  [
    'a patch of another object',
    `answer({ allowed: true });
fs.writeFileSync(process.env.KUBERNETES_PATCH_PATH, '{"operation":"Delete","kind":"Node","name":"a"}');`,
    'refused: patch file: an answer to the API server has no patches',
  ],
])('if a hook writes %s after a review, the output says why the runner refuses the answer', async (_, body, said) => {
  const { exit, stdout } = await tested(VALIDATING, body, reviewOf());

  expect(stdout).toContain(said);
  expect(exit).toBe(1);
});

const CONVERT = `const { toVersion, review } = context;
convert({ convertedObjects: review.request.objects.map((object) => ({
  ...object, apiVersion: '${GROUP}/' + toVersion })) });`;

const conversionReview = (...objects: readonly object[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'u1', desiredAPIVersion: `${GROUP}/v1`, objects },
});

test('[hooks 27] a sample can be a conversion, and must contain the conversion step if the binding has several steps', async () => {
  const config = converting('v1alpha1 v1beta1', 'v1beta1 v1');
  const review = conversionReview(cronTab('v1beta1', 'a', {}), cronTab('v1beta1', 'b', {}));

  const { exit, stdout } = await tested(config, CONVERT, { toVersion: 'v1', review });

  expect(stdout).toBe(`context tabs: Conversion, v1beta1 to v1, 2 objects
exit code 0
answer: 2 objects of ${GROUP}/v1
`);
  expect(exit).toBe(0);
});

test('the output contains the failure message of a conversion hook, or the reason why the runner refuses its answer', async () => {
  const sample = conversionReview(cronTab('v1beta1', 'a', {}));

  const refusing = await tested(
    converting('v1beta1 v1'),
    `convert({ failedMessage: 'no schedule' });`,
    sample,
  );
  const losing = await tested(
    converting('v1beta1 v1'),
    'convert({ convertedObjects: [] });',
    sample,
  );

  expect(refusing).toMatchObject({ exit: 0 });
  expect(refusing.stdout).toContain('answer: failed: no schedule\n');
  expect(losing).toMatchObject({ exit: 1 });
  expect(losing.stdout).toContain('convertedObjects has 0 objects for 1');
});

test.each<[what: string, config: object, sample: unknown, why: string]>([
  ['a review for a hook of another kind', { onStartup: 1 }, reviewOf(), 'fits no binding'],
  ['no review', VALIDATING, { binding: NAME }, 'needs review, with the request of the API server'],
  ['an object', VALIDATING, configMapOf({}), `set binding to one of ${NAME}`],
  ['two reviews', VALIDATING, [reviewOf(), reviewOf()], 'a hook is asked one at a time'],
  [
    'a step that the binding does not have',
    converting('v1beta1 v1'),
    { toVersion: 'v2', review: conversionReview() },
    'the binding converts v1beta1 to v1',
  ],
])('a sample with %s is refused', async (_, config, sample, why) => {
  const { exit, stderr } = await tested(config, '', sample);

  expect(stderr).toContain(why);
  expect(exit).toBe(2);
});
