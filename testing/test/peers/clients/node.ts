import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { lastLines, runProgram } from '../process.ts';
import type { Suite, SuiteRun } from '../suite.ts';
import { withServer } from './server.ts';

const FOLDER = 'src/test/integration';
/** What the tests share. */
const NO_TESTS = ['helpers.ts', 'index.ts', 'name.ts'];
const TIMEOUT_MS = 120_000;

/** The integration tests of `@kubernetes/client-node`: a module each, which its `index.ts` calls one after another. */
export const NODE_CLIENT: Suite = {
  name: 'client-node',
  title: 'integration tests of @kubernetes/client-node',
  repository: 'https://github.com/kubernetes-client/javascript',
  folder: 'javascript',
  client: '@kubernetes/client-node',
  prepare: 'npm ci --ignore-scripts',
  outside: {
    cpFromPod: 'the exec of a container',
    portForward: 'port-forwarding into a container',
  },
  failing: {},
  run: runModules,
};

async function runModules({ snapshot, scratch, only, server, tell }: SuiteRun): Promise<void> {
  const names = readdirSync(join(snapshot, FOLDER))
    .filter((file) => file.endsWith('.ts') && !NO_TESTS.includes(file))
    .map((file) => file.replace(/\.ts$/, ''));
  for (const name of names) {
    if (only.length > 0 ? !only.includes(name) : Object.hasOwn(NODE_CLIENT.outside, name)) continue;
    await withServer(server, scratch, async (kubeconfig) => {
      const module = JSON.stringify(`./${FOLDER}/${name}.ts`);
      const { code, output } = await runProgram({
        command: [
          ...[process.execPath, '--import', 'tsx', '--input-type=module', '--eval'],
          `const { default: test } = await import(${module}); await test(); process.exit(0);`,
        ],
        cwd: snapshot,
        env: { KUBECONFIG: kubeconfig },
        timeoutMs: TIMEOUT_MS,
      });
      writeFileSync(join(scratch, `${name}.log`), output);
      tell({ name, passed: code === 0, output: code === 0 ? '' : lastLines(output) });
    });
  }
}
