/**
 * Functions as scripts: what shells and Python do with standard input, output and errors.
 *
 * @module-tag bash
 * @module-tag python3
 */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/process/support.ts';
import { recordingLog } from '../../../../test/support/recording-log.ts';
import { pathOf } from '../../../../test/tools/tools.ts';
import { ProgramFunction } from '../../src/call/functions/program-function.ts';
import { call, request } from './support.ts';

/** A script that is started by its first line. */
async function script(tool: 'bash' | 'python3', text: string) {
  const cwd = await testFolder();
  const program = join(cwd, 'sync');
  await writeFile(program, `#!${pathOf(tool)}\n${text}`);
  await chmod(program, 0o755);
  const env = { PATH: '/usr/bin:/bin' };
  return new ProgramFunction({
    program,
    args: [],
    cwd,
    env,
    timeoutMs: 20_000,
    clock: systemClock,
  });
}

test('a Python script reads the request and prints the answer', async () => {
  const hook = await script(
    'python3',
    `import json, sys
request = json.load(sys.stdin)
print("asked", file=sys.stderr)
json.dump({"children": [], "status": {"a": request["parent"]["a"]}}, sys.stdout)
`,
  );
  const { lines, logFor } = recordingLog();

  const answer = await hook.call(request(), call({ log: logFor({}) }));

  expect(answer).toEqual({ text: '{"children": [], "status": {"a": 1}}' });
  expect(lines.map(({ fields }) => fields.line)).toEqual(['asked']);
});

test('the error of a Python script that throws contains the end of its traceback', async () => {
  const hook = await script('python3', 'raise ValueError("no such crop")');

  const error = await hook.call(request(), call()).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ reason: 'ProgramFailed', context: { exitCode: 1 } });
  expect((error as Error).message).toContain('ValueError: no such crop');
});

test('a shell script can answer a large request without reading it', async () => {
  const hook = await script('bash', `echo '{"children": []}'`);
  const large = request({ text: 'x'.repeat(5_000_000) });

  await expect(hook.call(large, call())).resolves.toEqual({ text: '{"children": []}\n' });
});

test('a shell script with a failing command fails, and the error contains its output', async () => {
  const hook = await script('bash', 'set -e\necho "{"\necho "no rows" >&2\nfalse\necho "}"');

  await expect(hook.call(request(), call())).rejects.toThrow(/ended with exit code 1: no rows$/);
});
