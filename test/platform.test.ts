/**
 * Development works on macOS as far as that can be shown without one: the toolkit and the kit name no place that
 * only Linux has, and no temporary folder by its path, outside the files below. Windows has WSL, as the docs say.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));

/** What may name such a path, and why that is no matter on another system. */
const NAMED: Readonly<Record<string, string>> = {
  'operator/manager/safety/visible-token.ts': 'where a Pod has a token; elsewhere there is none',
  'operator/cli/ancestors/process-table.ts':
    'the processes above a command; elsewhere the parent alone is watched',
  'operator/cli/exposed-environment.ts': 'in a warning about a Pod',
  'operator/process/closed-to-programs.ts':
    'what programs can read of this process; elsewhere nothing',
  'operator/client/response-failure.ts': 'in a message about a Pod',
  'operator/generate/gate/gate-config.ts': 'files of the container of the gate',
  'operator/generate/lint/rules/arguments.ts': 'in the reason of a rule about Pods',
  'operator/generate/lint/rules/pod-security.ts': 'in the reasons of rules about Pods',
  'operator/generate/lint/rules/users.ts': 'in the reason of a rule about Pods',
  'operator/generate/lint/rules/token.ts': 'the mount of a Pod',
  'packages/packaging/src/kubebuilder/go-project/manager-patch.ts': 'the mount of a Pod',
  'packages/packaging/src/kubebuilder/go-project/pod-checks.ts': 'the mount of a Pod',
  'operator/process/program-pipes.ts': 'why programs on Linux get other pipes',
  'operator/process/program-usage.ts': 'what a program has used, which is 0 elsewhere',
  'operator/process/run-files.ts': 'when a process began, without which its number counts',
  'operator/process/survivors.ts':
    'processes that left their group, which docs promise on Linux only',
  'testing/src/apiserver/admission/pod-admission.ts': 'the mount of a simulated Pod',
  'testing/src/apiserver/defaults/pod-spec.ts': 'a default of Pods, as Kubernetes has it',
  'testing/src/apiserver/defaults/volume.ts': 'a default of Pods, as Kubernetes has it',
};

/** `/dev/null` and `/dev/tty` are everywhere but on Windows. */
const LINUX_PATH =
  /(?<![\w.@/$}-])\/(?:proc|sys|etc|tmp|run|var|dev(?!\/(?:null|tty)\b))(?=[/'"`\s)\],;:]|$)/m;

/** Only Linux answers on the whole of 127.0.0.0/8, and has sockets without a file. */
const LINUX_ADDRESS = /\b127\.0\.0\.(?!1\b|0\/8)\d+|unix:@/;

const FILES = globSync('{operator,testing/src,packages/*/src}/**/*.{ts,js,mjs}', { cwd: root });

function filesThatName(pattern: RegExp): readonly string[] {
  return FILES.filter((file) => pattern.test(readFileSync(`${root}${file}`, 'utf8'))).sort();
}

test('[M-5] only the listed files contain a path that only Linux has', () => {
  expect(FILES.length).toBeGreaterThan(500);
  expect(filesThatName(LINUX_PATH)).toEqual(Object.keys(NAMED).sort());
});

test('[M-5] no file contains an address or a socket that only Linux has', () => {
  expect(filesThatName(LINUX_ADDRESS)).toEqual([]);
});

test.each([
  ["readFileSync('/proc/self/status')", true],
  ['mkdtempSync("/tmp/chancery-")', true],
  ["const shm = '/dev/shm';", true],
  ['// `/sys/fs/cgroup` says it', true],
  ["import { run } from '../run/run.ts';", false],
  ["from './etc/settings.ts'", false],
  ["spawn(program, { stdio: ['/dev/null'] })", false],
  ["tmpdir() + '/x'", false],
])('the pattern for Linux-only paths matches the line %s: %s', (line, found) => {
  expect(LINUX_PATH.test(line)).toBe(found);
});
