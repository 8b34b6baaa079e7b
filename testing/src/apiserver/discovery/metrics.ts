import type { Json } from '../objects/metadata.ts';
import { compareText } from './version-order.ts';

/** The number of objects of a resource. */
export interface ObjectCount {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
}

/** The content type of the answer: the Prometheus format that kube-apiserver also uses. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/**
 * The answer to `/metrics`. It contains only two of kube-apiserver's hundreds of metrics: the two that
 * describe the cluster, and not the process. They are enough for dashboards and scrapers that expect the path
 * and a version.
 */
export function metricsText(version: Json, counts: readonly ObjectCount[]): string {
  const build = labels({
    build_date: version.buildDate,
    compiler: version.compiler,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    git_version: version.gitVersion,
    go_version: version.goVersion,
    major: version.major,
    minor: version.minor,
    platform: version.platform,
  });
  const objects = counts
    .map(({ count, ...names }) => `apiserver_resource_objects${labels(names)} ${count}`)
    .toSorted(compareText);
  return [
    '# HELP apiserver_resource_objects [ALPHA] Number of stored objects at the time of last check split by kind.',
    '# TYPE apiserver_resource_objects gauge',
    ...objects,
    "# HELP kubernetes_build_info [BETA] A metric with a constant '1' value labeled by the version of Kubernetes.",
    '# TYPE kubernetes_build_info gauge',
    `kubernetes_build_info${build} 1`,
    '',
  ].join('\n');
}

function labels(values: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(values).map(
    ([name, value]) => `${name}="${String(value).replaceAll(/[\\"]/g, '\\$&')}"`,
  );
  return `{${pairs.join(',')}}`;
}
