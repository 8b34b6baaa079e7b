import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiServer, type WorkloadOptions } from '../../../src/apiserver/api-server.ts';
import { lastLines, runProgram } from '../process.ts';
import type { RunningServer, Suite, SuiteRun } from '../suite.ts';
import { ADAPTATIONS } from './adaptations.ts';
import { FAILING, OUTSIDE } from './known.ts';

const RUNNER = fileURLToPath(new URL('run-function.sh', import.meta.url));
const SCRIPT = 'test/cmd/legacy-script.sh';

/** What the functions read. Some write beside it, so that each run has a copy. */
const PARTS = [
  'hack/lib',
  'hack/testdata',
  'test/cmd',
  'test/e2e/testing-manifests',
  'test/fixtures',
  'third_party/forked/shell2junit',
];

/** Far more than any function takes, also on a slow machine. */
const TIMEOUT_MS = 600_000;

/** The token that the functions send by hand, too. */
const TOKEN = 'admin-token';

/** `hack/make-rules/test-cmd.sh` starts a controller manager, but neither a scheduler nor a kubelet. */
const CONTROLLERS: NonNullable<WorkloadOptions['only']> = [
  'serviceAccount',
  'rootCa',
  'deployment',
  'replicaSet',
  'statefulSet',
  'daemonSet',
  'job',
  'cronJob',
  'endpoints',
  'endpointSlice',
  'disruptionBudget',
  'garbageCollector',
  'namespace',
];

/** `test/cmd/*.sh` of the Kubernetes repository: kubectl against a server without nodes. */
export const KUBECTL_FUNCTIONS: Suite = {
  name: 'kubectl',
  title: "Kubernetes' own tests of kubectl, `test/cmd/*.sh`",
  repository: 'https://github.com/kubernetes/kubernetes',
  folder: 'kubernetes',
  usesKubectl: true,
  outside: OUTSIDE,
  failing: FAILING,
  run: runFunctions,
};

async function runFunctions({
  snapshot,
  scratch,
  only,
  kubectl,
  server,
  tell,
}: SuiteRun): Promise<void> {
  const script = readFileSync(join(snapshot, SCRIPT), 'utf8');
  const root = join(scratch, 'kubernetes');
  copyParts(snapshot, root);
  for (const name of functionsOf(script)) {
    if (only.length > 0 ? !only.includes(name) : Object.hasOwn(OUTSIDE, name)) continue;
    tell(await runFunction(name, { root, scratch, kubectl, server }));
  }
}

/** The functions that `runTests` calls, in its order, each once. */
export function functionsOf(script: string): readonly string[] {
  const calls = script.matchAll(/^[ \t]+(?:record_command[ \t]+)?(run_\w+)[ \t]*$/gm);
  return [...new Set([...calls].map(([, name = '']) => name))];
}

function copyParts(snapshot: string, root: string): void {
  for (const part of PARTS) {
    const from = join(snapshot, part);
    if (!existsSync(from)) throw new TypeError(`${snapshot} has no ${part}: it is no whole clone`);
    cpSync(from, join(root, part), { recursive: true });
  }
  for (const { file, from, to } of ADAPTATIONS) {
    const path = join(root, file);
    if (!existsSync(path)) continue;
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  }
}

interface Place {
  readonly root: string;
  readonly scratch: string;
  readonly kubectl: string;
  readonly server: RunningServer | undefined;
}

async function runFunction(
  name: string,
  place: Place,
): Promise<{ name: string; passed: boolean; output: string }> {
  const own = place.server === undefined ? await startServer() : undefined;
  const { url, token } = place.server ?? { url: own?.url ?? '', token: TOKEN };
  const temporary = join(place.scratch, name);
  mkdirSync(temporary);
  // kube-apiserver writes its certificate there, and functions read it.
  writeFileSync(join(temporary, 'apiserver.crt'), own?.secure.ca ?? certificateIn(place.root));
  try {
    const { code, output } = await runProgram({
      command: ['bash', RUNNER],
      cwd: place.root,
      env: {
        PEER_FUNCTION: name,
        PEER_KUBECTL: place.kubectl,
        PEER_TOKEN: token,
        SECURE_API_PORT: new URL(url).port,
        TMPDIR: temporary,
      },
      timeoutMs: TIMEOUT_MS,
    });
    writeFileSync(join(place.scratch, `${name}.log`), output);
    const late = code === undefined ? `\nended after ${TIMEOUT_MS / 1_000} s` : '';
    return { name, passed: code === 0, output: code === 0 ? '' : lastLines(output) + late };
  } finally {
    await own?.close();
  }
}

/** The certificate file for a server that is already there. Its own certificate is unknown, and any file will do. */
function certificateIn(root: string): string {
  return readFileSync(join(root, 'hack/testdata/tls.crt'), 'utf8');
}

/** As `hack/make-rules/test-cmd.sh` starts kube-apiserver and kube-controller-manager. */
function startServer(): Promise<ApiServer> {
  return ApiServer.start({
    tls: {},
    authorization: 'RBAC,AlwaysAllow',
    authentication: { tokens: { [TOKEN]: { name: 'admin', groups: ['system:masters'] } } },
    workloads: { only: CONTROLLERS },
    disableAdmissionPlugins: ['ServiceAccount', 'DefaultTolerationSeconds'],
  });
}
