/**
 * docs/guides/write/hooks.md, typed as it stands there.
 *
 * @module-tag bash
 * @module-tag jq
 * @module-tag python3
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pathOf } from '../tools/tools.ts';
import { guide } from './guide.ts';
import { folder } from './running-commands.ts';

const page = guide('guides/write/hooks.md');

/** Commands that need a cluster, a builder of images, or a hook that is not part of the page. */
const NOT_RUN = [/^docker build /, /^kubectl apply /, /^chancery check /, / hooks\/copy\.py /];

/** The indented lines that are commands, in their order. */
const commands = [...page.matchAll(/^ {4}((?:chancery|chmod|docker|kubectl|mkdir) .*)$/gm)]
  .map(([, command = '']) => command)
  .filter((command) => !command.startsWith('chancery hooks: '));

test('each command in hooks.md does what the page says', {
  timeout: 100_000,
}, async () => {
  const place = folder();
  for (const [, name = '', text = ''] of page.matchAll(/^```(?:bash|json) (\S+)\n(.*?)^```$/gms))
    writeFileSync(join(place, name), text);
  symlinkSync(pathOf('kubectl'), join(place, 'bin', 'kubectl'));
  const PATH = [join(place, 'bin'), process.env.PATH].join(':');
  const told = new Map<string, string>();

  for (const command of commands.filter((each) => NOT_RUN.every((some) => !some.test(each)))) {
    const options = { cwd: place, env: { ...process.env, PATH } };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', command], options);
    told.set(command, stdout + stderr);
  }

  expect(told.size).toBeGreaterThan(7);
  expect(told.get('chancery test-hook greet.sh --context sample.json --record-rights')).toContain(
    'MergePatch of ConfigMap demo/settings',
  );
  expect(told.get('chancery test-hook owners.sh --context review.json')).toContain(
    'answer: denied: the label owner is missing',
  );
  expect(readFileSync(join(place, 'hooks/greet.sh.rights.yaml'), 'utf8')).toContain('patch');
  expect(existsSync(join(place, 'hooks/kustomization.yaml'))).toBe(true);
  expect(told.get('kubectl kustomize manifests/overlays/namespaced | chancery lint -')).toContain(
    '0 errors',
  );
});
