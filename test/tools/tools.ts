/**
 * The real programs that tests start, and the one place where they are looked up: first the tool's own
 * variable, then the PATH. `npm run test:tools` prints this table, and leaves out the tests of a tool
 * that is not here.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
// By path: this file is read before anything resolves the kit's name to its sources.
import { findKubectl, findKubectls } from '../../testing/src/ambassador/kubectl.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Tool {
  readonly name: string;
  /** Environment variable with its path. */
  readonly variable: string;
  /** The variable has the folder that it is in. No distribution has such a program, so that CI may lack it. */
  readonly isInFolder?: boolean;
  /** The folder of a package of npm in this repository, which stands for a program: `programs` is empty then. */
  readonly packageFolder?: string;
  /** Names that distributions give it, the best first. */
  readonly programs: readonly string[];
  /** Every program of these names on the PATH is tried until one can do its work. */
  readonly tries?: 'all';
  readonly debian: string;
  readonly fedora: string;
  readonly macos: string;
  /** Why it cannot do its work on this machine, although it is here; undefined when it can. */
  readonly whyNot?: (path: string) => string | undefined;
}

const NO_LINUX = 'works on Linux only';

/** Where distributions put the sources of Go's packages: the GOPATH of what is built from them. */
export const GO_SOURCES = process.env.CHANCERY_TEST_GOPATH ?? '/usr/share/gocode';
const GO_PACKAGES = 'golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev';

/** @param packages - its package on Debian, Fedora and macOS; one name where all use the same. */
function tool(
  name: string,
  packages: readonly [debian: string, fedora?: string, macos?: string],
  more: Partial<Tool> = {},
): Tool {
  const [debian, fedora = debian, macos = debian] = packages;
  return {
    name,
    variable: name.toUpperCase(),
    programs: [name],
    debian: `apt-get install ${debian}`,
    fedora: `dnf install ${fedora}`,
    macos: macos === '' ? NO_LINUX : `brew install ${macos}`,
    ...more,
  };
}

const SETUP = 'take it from a release of Kubernetes, or have setup-envtest fetch it';

/** A program of a control plane, in the folder that controller-runtime's tests look in, too. */
function ofControlPlane(name: string): Tool {
  const more = { variable: 'KUBEBUILDER_ASSETS', isInFolder: true };
  return tool(name, [''], { ...more, debian: SETUP, fedora: SETUP, macos: SETUP });
}

/** A package of npm that the benchmarks compare with, and that this repository does not depend on otherwise. */
function ofBench(name: string, packageName: string): Tool {
  const install = 'npm ci --prefix bench';
  return {
    ...tool(name, ['']),
    variable: name.toUpperCase().replace('-', '_'),
    programs: [],
    packageFolder: fileURLToPath(
      new URL(`../../bench/node_modules/${packageName}`, import.meta.url),
    ),
    ...{ debian: install, fedora: install, macos: install },
  };
}

export const TOOLS: readonly Tool[] = [
  tool('kubectl', ['kubernetes-client', 'kubernetes-client', 'kubernetes-cli']),
  tool('jq', ['jq']),
  tool('gojq', ['gojq']),
  tool('curl', ['curl']),
  tool('openssl', ['openssl']),
  tool('bash', ['bash']),
  tool('zsh', ['zsh']),
  tool('fish', ['fish']),
  tool('chromium', ['chromium', 'chromium', '--cask chromium'], {
    programs: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  }),
  tool('unshare', ['util-linux', 'util-linux', ''], { whyNot: whyNoNamespaces }),
  tool('nsenter', ['util-linux', 'util-linux', '']),
  tool('setpriv', ['util-linux', 'util-linux', '']),
  tool('ip', ['iproute2', 'iproute', '']),
  tool('strace', ['strace', 'strace', ''], { whyNot: whyNoTrace }),
  tool('buildah', ['buildah', 'buildah', ''], { whyNot: whyNoImages }),
  tool('python3', ['python3']),
  // A Python with the official client of Kubernetes and pytest. Another Python may come before it.
  tool(
    'python3-kubernetes',
    ['python3-kubernetes python3-pytest', 'python3-kubernetes python3-pytest', 'python'],
    {
      variable: 'PYTHON3_KUBERNETES',
      programs: ['python3'],
      tries: 'all',
      whyNot: whyNoKubernetes,
    },
  ),
  ofBench('client-node', '@kubernetes/client-node'),
  tool('nginx', ['nginx']),
  tool('prometheus', ['prometheus', 'golang-github-prometheus']),
  tool('promtool', ['prometheus', 'golang-github-prometheus', 'prometheus']),
  tool('debootstrap', ['debootstrap', 'debootstrap', '']),
  tool('yamllint', ['yamllint']),
  tool('go', [`golang-go ${GO_PACKAGES}`, 'golang golang-github-masterminds-sprig-devel', 'go'], {
    whyNot: whyNoGoSources,
  }),
  ofControlPlane('kube-apiserver'),
  ofControlPlane('kube-controller-manager'),
];

export type ToolState =
  | { readonly tool: Tool; readonly state: 'found'; readonly paths: readonly string[] }
  | { readonly tool: Tool; readonly state: 'missing' }
  | { readonly tool: Tool; readonly state: 'cannot work'; readonly reason: string };

/** Whether a tool is here and works. Of kubectl, every version that is here is found. */
export function stateOf(tool: Tool, env: Environment = process.env): ToolState {
  const paths = pathsOf(tool, env);
  const [path] = paths;
  if (path === undefined) return { tool, state: 'missing' };
  const reason = tool.whyNot?.(path);
  return reason === undefined
    ? { tool, state: 'found', paths }
    : { tool, state: 'cannot work', reason };
}

/**
 * The path of a tool.
 *
 * @throws Error that says how to install it when it is not here. Its absence is a failure of the test
 *   that asks: nothing can stand in for it.
 */
export function pathOf(name: string, env: Environment = process.env): string {
  const tool = toolNamed(name);
  const path = name === 'kubectl' ? findKubectl(env) : pathsOf(tool, env)[0];
  if (path !== undefined) return path;
  throw new Error(`no ${name}: install it (Debian: ${tool.debian}), or set ${tool.variable}`);
}

/** The path of any program: its variable, then the PATH; undefined when it is not here. */
export function firstPathOf(name: string, env: Environment = process.env): string | undefined {
  const known = TOOLS.find((each) => each.name === name);
  return known === undefined ? onPath(name, env) : pathsOf(known, env)[0];
}

export function toolNamed(name: string): Tool {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`${name} is not in the table of test/tools/tools.ts`);
  return tool;
}

function pathsOf(tool: Tool, env: Environment): readonly string[] {
  const { name, variable, programs, packageFolder, isInFolder = false, tries, whyNot } = tool;
  if (name === 'kubectl') return findKubectls(env).filter(isExecutable);
  const given = env[variable];
  const named = isInFolder && given ? join(given, name) : given;
  if (named) return isExecutable(named) ? [named] : [];
  if (packageFolder !== undefined) return isExecutable(packageFolder) ? [packageFolder] : [];
  const found = programs.flatMap((program) => allOnPath(program, env));
  const working = tries === 'all' ? found.find((path) => whyNot?.(path) === undefined) : undefined;
  return working === undefined ? found.slice(0, 1) : [working];
}

function onPath(program: string, env: Environment): string | undefined {
  return allOnPath(program, env)[0];
}

function allOnPath(program: string, env: Environment): readonly string[] {
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function whyNoNamespaces(unshare: string): string | undefined {
  const ways = [
    ['--mount', '--pid', '--fork'],
    ['--map-root-user', '--mount', '--pid', '--fork'],
  ];
  return ways.some((flags) => spawnSync(unshare, [...flags, 'true']).status === 0)
    ? undefined
    : 'this user cannot make namespaces here';
}

/** Building an image and running it as a Pod takes root and namespaces. */
function whyNoImages(): string | undefined {
  if (process.getuid?.() !== 0) return 'images are built as root, and this user is not root';
  const unshare = pathsOf(toolNamed('unshare'), process.env)[0];
  if (unshare === undefined) return 'images are built with unshare, which is missing';
  return spawnSync(unshare, ['--mount', '--pid', '--fork', 'true']).status === 0
    ? undefined
    : 'this root cannot make namespaces, which building and running an image needs';
}

/** Charts are rendered with packages that come as sources. */
function whyNoGoSources(): string | undefined {
  const missing = ['github.com/Masterminds/sprig', 'sigs.k8s.io/yaml'].filter(
    (name) => !isExecutable(join(GO_SOURCES, 'src', name)),
  );
  return missing.length === 0
    ? undefined
    : `no sources of ${missing.join(' and ')} in ${GO_SOURCES} (Debian: apt-get install ${GO_PACKAGES})`;
}

function whyNoKubernetes(python: string): string | undefined {
  return spawnSync(python, ['-c', 'import kubernetes, pytest']).status === 0
    ? undefined
    : 'this Python has no kubernetes, or no pytest (Debian: apt-get install python3-kubernetes python3-pytest)';
}

function whyNoTrace(strace: string): string | undefined {
  return spawnSync(strace, ['-o', '/dev/null', 'true']).status === 0
    ? undefined
    : 'this machine does not let a process be traced';
}
