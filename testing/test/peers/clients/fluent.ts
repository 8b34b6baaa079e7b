import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { runProgram } from '../process.ts';
import type { Outcome, Suite, SuiteRun } from '../suite.ts';
import { withServer } from './server.ts';

/** The files that speak to a server. The others compare what its command generates with files. */
const FILES = ['e2e/main.e2e.test.ts', 'e2e/watch.e2e.test.ts'];
const TIMEOUT_MS = 600_000;

/** The end-to-end tests of kubernetes-fluent-client that need a server. */
export const FLUENT_CLIENT: Suite = {
  name: 'fluent-client',
  title: 'end-to-end tests of kubernetes-fluent-client',
  repository: 'https://github.com/defenseunicorns/kubernetes-fluent-client',
  folder: 'kubernetes-fluent-client',
  client: 'kubernetes-fluent-client',
  prepare:
    'npm ci --ignore-scripts && npx tsx src/cli.ts crd test/datastore.crd.yaml e2e && npx tsx src/cli.ts crd test/webapp.crd.yaml e2e && npm run build && npm install --no-save kubernetes-fluent-client-0.0.0-development.tgz',
  usesKubectl: true,
  outside: {
    Logs: 'a kubelet: the log of a container',
    Proxy: 'a kubelet: a Pod that answers requests',
    'kfc fetch': 'the internet: it asks api.github.com',
    'watcher e2e should handle the RECONNECT event': 'k3d: it stops and starts the cluster',
  },
  failing: {},
  run: runTests,
};

async function runTests({
  snapshot,
  scratch,
  only,
  kubectl,
  server,
  tell,
}: SuiteRun): Promise<void> {
  await withServer(server, scratch, async (kubeconfig) => {
    const report = join(scratch, 'report.json');
    const shared = { cwd: snapshot, env: { KUBECONFIG: kubeconfig }, timeoutMs: TIMEOUT_MS };
    const applied = await runProgram({ command: [kubectl, 'apply', '-f', 'test/'], ...shared });
    if (applied.code !== 0) throw new Error(`the definitions were refused:\n${applied.output}`);
    const { output } = await runProgram({
      command: [
        ...[process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...FILES],
        ...['--testNamePattern', patternOf(only, Object.keys(FLUENT_CLIENT.outside))],
        ...['--reporter=json', `--outputFile=${report}`],
      ],
      ...shared,
    });
    writeFileSync(join(scratch, 'fluent-client.log'), output);
    for (const outcome of vitestOutcomes(readFileSync(report, 'utf8'))) tell(outcome);
  });
}

/** The pattern for vitest of these tests, or of all but those that are left out. */
export function patternOf(only: readonly string[], outside: readonly string[]): string {
  const oneOf = (names: readonly string[]): string =>
    `\\s*(?:${names.map((name) => name.replaceAll(/[^\w\s]/g, '\\$&')).join('|')})\\s*$`;
  return only.length > 0 ? `^${oneOf(only)}` : `^(?!${oneOf(outside)})`;
}

interface Assertion {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
}

interface FileResult {
  readonly name: string;
  readonly message?: string;
  readonly assertionResults: readonly Assertion[];
}

/**
 * The outcomes in a report of vitest. A test that was skipped has none: it has not passed. A file in which no test could
 * begin is a failure of its own.
 */
export function vitestOutcomes(report: string): readonly Outcome[] {
  const { testResults } = JSON.parse(report) as { readonly testResults: readonly FileResult[] };
  return testResults.flatMap(({ name, message = '', assertionResults }) =>
    assertionResults.length === 0
      ? [{ name: name.replace(/^.*\//, ''), passed: false, output: message }]
      : assertionResults
          .filter(({ status }) => status === 'passed' || status === 'failed')
          .map(({ fullName, status, failureMessages = [] }) => ({
            name: fullName.trim(),
            passed: status === 'passed',
            output: failureMessages.join('\n').split('\n').slice(0, 4).join('\n'),
          })),
  );
}
