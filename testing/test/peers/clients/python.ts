import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../../../../test/tools/tools.ts';
import { runProgram } from '../process.ts';
import type { Outcome, Suite, SuiteRun } from '../suite.ts';
import { withServer } from './server.ts';

const TIMEOUT_MS = 600_000;
const EXEC = 'the exec of a container';
const PORTS = 'port-forwarding into a container';

/** `kubernetes/e2e_test` of the Python client. */
export const PYTHON_CLIENT: Suite = {
  name: 'python',
  title: 'end-to-end tests of the Python client',
  repository: 'https://github.com/kubernetes-client/python',
  folder: 'python',
  client: 'kubernetes for Python',
  prepare: 'python3 -m pip install . pytest',
  outside: {
    'test_client.TestClient.test_pod_apis': EXEC,
    'test_client.TestClient.test_exit_code': EXEC,
    'test_client.TestClient.test_portforward_raw': PORTS,
    'test_client.TestClient.test_portforward_http': PORTS,
  },
  failing: {},
  run: runTests,
};

async function runTests({ snapshot, scratch, only, server, tell }: SuiteRun): Promise<void> {
  const selected =
    only.length > 0
      ? only.map(pathOfTest)
      : [
          'kubernetes/e2e_test',
          ...Object.keys(PYTHON_CLIENT.outside).map((name) => `--deselect=${pathOfTest(name)}`),
        ];
  const home = join(scratch, 'home');
  mkdirSync(home);
  await withServer(server, scratch, async (kubeconfig) => {
    const { output } = await runProgram({
      command: [
        ...[pathOf('python3'), '-m', 'pytest', '-v', '-rA', '--tb=short', '--color=no'],
        ...['-p', 'no:cacheprovider', ...selected],
      ],
      cwd: snapshot,
      env: {
        KUBECONFIG: kubeconfig,
        HOME: home,
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONPATH: snapshot,
      },
      timeoutMs: TIMEOUT_MS,
    });
    writeFileSync(join(scratch, 'python.log'), output);
    const outcomes = pytestOutcomes(output);
    if (outcomes.length === 0) throw new Error(`pytest ran no test:\n${output.slice(-2_000)}`);
    for (const outcome of outcomes) tell(outcome);
  });
}

/** `test_client.TestClient.test_pod_apis` → the path by which pytest knows it. */
function pathOfTest(name: string): string {
  const [file = '', ...names] = name.split('.');
  return [`kubernetes/e2e_test/${file}.py`, ...names].join('::');
}

/**
 * The outcomes in the output of `pytest -v -rA`. A test that was skipped has none: it has not passed. An error outside a
 * test, such as in its set-up, is a failure.
 */
export function pytestOutcomes(output: string): readonly Outcome[] {
  const lines = output.matchAll(
    /^(?:PASSED|FAILED|ERROR) (?:\S*\/)?(\w+)\.py::([\w:]+)(?: - (.*))?$/gm,
  );
  return [...lines].map(([line, file, names = '', why = '']) => {
    const name = `${file}.${names.replaceAll('::', '.')}`;
    return { name, passed: line.startsWith('PASSED'), output: why };
  });
}
