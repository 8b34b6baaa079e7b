/**
 * The rules of `helm lint`, on our own renderer. Not here: rules for charts inside a chart, and warnings about
 * versions of APIs that are only deprecated and not yet removed.
 */
import { parseYaml } from '../../../../operator/core/yaml.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { type Chart, filesOf, isRefused, type RenderOptions, renderChart } from './render-chart.ts';

export interface LintFinding {
  /** `--strict` fails for errors and warnings. */
  readonly severity: 'error' | 'warning' | 'info';
  readonly path: string;
  readonly message: string;
}

/** What `helm lint` says about a chart with these values. */
export async function lintChart(
  chart: Chart,
  options: Pick<RenderOptions, 'values' | 'kubeVersion' | 'skipSchema'> = {},
): Promise<readonly LintFinding[]> {
  const files = filesOf(chart);
  const paths = Object.keys(files);
  const findings = [...chartFileFindings(files['Chart.yaml']), ...extensionFindings(paths)];
  if (files['values.yaml'] === undefined) {
    findings.push(finding('info', 'values.yaml', 'file does not exist'));
  }
  if (!paths.some((path) => path.startsWith('templates/'))) {
    return [...findings, finding('warning', 'templates/', 'directory does not exist')];
  }
  const [result] = await renderChart(chart, [{ ...options, release: 'test-release', lint: true }]);
  if (result === undefined) throw new Error('the program left out the render');
  if (isRefused(result)) {
    return [...findings, finding('error', 'templates/', `${result.layer}: ${result.message}`)];
  }
  const objects = [...result.objects, ...result.hooks];
  return [...findings, ...textFindings(result.files), ...objects.flatMap(objectFindings)];
}

function finding(severity: LintFinding['severity'], path: string, message: string): LintFinding {
  return { severity, path, message };
}

type Rule = readonly [isBroken: boolean, severity: LintFinding['severity'], message: string];

const SEMVER = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const KEYS =
  'apiVersion name version kubeVersion description type keywords home sources dependencies maintainers icon appVersion deprecated annotations condition tags'.split(
    ' ',
  );

function chartFileFindings(text: string | undefined): LintFinding[] {
  if (text === undefined) return [finding('error', 'Chart.yaml', 'file does not exist')];
  const chart = parseYaml(text) as Readonly<Record<string, unknown>>;
  const { name, version, appVersion, apiVersion, type, icon } = chart;
  const unknown = Object.keys(chart).filter((key) => !KEYS.includes(key));
  const rules: readonly Rule[] = [
    [!name, 'error', 'name is required'],
    [apiVersion !== 'v1' && apiVersion !== 'v2', 'error', 'apiVersion is neither v1 nor v2'],
    [typeof version !== 'string', 'error', 'version should be of type string'],
    [!SEMVER.test(String(version)), 'warning', `version '${version}' is not a valid SemVerV2`],
    [
      appVersion !== undefined && typeof appVersion !== 'string',
      'error',
      'appVersion should be of type string',
    ],
    [
      type !== undefined && apiVersion !== 'v2',
      'error',
      'chart type is not valid in apiVersion v1',
    ],
    [unknown.length > 0, 'warning', `failed to strictly parse: unknown field ${unknown}`],
    [icon === undefined, 'info', 'icon is recommended'],
    [icon !== undefined && !isUrl(icon), 'error', `invalid icon URL '${icon}'`],
    ...listOf(chart.sources).map(
      (source): Rule => [!isUrl(source), 'error', `invalid source URL '${source}'`],
    ),
    ...listOf(chart.maintainers).flatMap(maintainerRules),
  ];
  return rules
    .filter(([isBroken]) => isBroken)
    .map(([, severity, message]) => finding(severity, 'Chart.yaml', message));
}

function maintainerRules(maintainer: unknown): readonly Rule[] {
  const { name, email, url } = (maintainer ?? {}) as Readonly<Record<string, unknown>>;
  return [
    [!name, 'error', 'each maintainer requires a name'],
    [
      !!email && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(String(email)),
      'error',
      `invalid email '${email}'`,
    ],
    [!!url && !isUrl(url), 'error', `invalid url '${url}'`],
  ];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isUrl(text: unknown): boolean {
  return typeof text === 'string' && /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text);
}

function extensionFindings(paths: readonly string[]): readonly LintFinding[] {
  return paths
    .filter((path) => path.startsWith('templates/') && !/\.(?:ya?ml|tpl|txt)$/.test(path))
    .map((path) => finding('error', path, 'file extension not valid: .yaml, .yml, .tpl or .txt'));
}

function textFindings(files: Readonly<Record<string, string>>): readonly LintFinding[] {
  return Object.entries(files)
    .filter(([path, text]) => /\.ya?ml$/.test(path) && /^[ \t]/.test(text.replace(/^\s*\n/, '')))
    .map(([path]) => finding('warning', path, 'document starts with an illegal indent'));
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** Kinds whose names are no subdomains, with what they are. */
const NAMES: Readonly<Record<string, (name: string) => boolean>> = {
  Service: (name) => name.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name),
  Namespace: (name) => name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name),
  Role: isPathSegment,
  ClusterRole: isPathSegment,
  RoleBinding: isPathSegment,
  ClusterRoleBinding: isPathSegment,
};
/** Served no more by any version of Kubernetes that charts are made for. */
const REMOVED =
  /^(?:extensions\/v1beta1|(?:apps|batch|policy|autoscaling|rbac\.authorization\.k8s\.io|apiextensions\.k8s\.io|networking\.k8s\.io|scheduling\.k8s\.io|coordination\.k8s\.io)\/v\d+(?:alpha|beta)\d+)$/;
const WORKLOADS = ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet'];

function isPathSegment(name: string): boolean {
  return !/[/%]|^\.\.?$/.test(name);
}

function objectFindings(object: KubernetesObject): readonly LintFinding[] {
  const { apiVersion, kind, metadata, spec, items } = object as KubernetesObject & {
    readonly spec?: { readonly selector?: object };
    readonly items?: readonly KubernetesObject[];
  };
  const { name } = metadata;
  const isName = NAMES[kind] ?? ((text: string) => text.length <= 253 && SUBDOMAIN.test(text));
  const hasSelector = ['matchLabels', 'matchExpressions'].some(
    (key) => key in (spec?.selector ?? {}),
  );
  const isKept = ({ metadata }: KubernetesObject): boolean =>
    metadata?.annotations?.['helm.sh/resource-policy'] !== undefined;
  const rules: readonly Rule[] = [
    [!isName(name), 'warning', 'object name does not conform to Kubernetes naming requirements'],
    [REMOVED.test(apiVersion), 'warning', `${apiVersion} ${kind} is deprecated`],
    [
      WORKLOADS.includes(kind) && !hasSelector,
      'error',
      'must contain matchLabels or matchExpressions',
    ],
    [
      kind === 'List' && (items ?? []).some(isKept),
      'error',
      "annotation 'helm.sh/resource-policy' within List objects are ignored",
    ],
  ];
  return rules
    .filter(([isBroken]) => isBroken)
    .map(([, severity, message]) => finding(severity, `${kind} ${name}`, message));
}
