import { include, literal } from './expressions.ts';
import { STRICTER } from './limits.ts';
import type { OpenModel } from './placeholders.ts';
import {
  type Condition,
  changeAt,
  type Field,
  field,
  inline,
  lines,
  type Mapping,
  type More,
  not,
  type Tree,
  withFields,
  withItems,
} from './tree.ts';

const POD = ['spec', 'template', 'spec'];

/** The Deployment with the values that configure it and its Pods. */
export function withPodValues(chart: string, { model }: OpenModel, deployment: Tree): Tree {
  const pod = (tree: Tree, change: (part: Tree) => Tree): Tree => changeAt(tree, POD, change);
  const values = '$.Values.manager';
  const userSpread = `${values}.topologySpreadConstraints`;
  const filled = withMetadata(chart, model.configMap !== undefined, deployment);
  const replicated = changeAt(filled, ['spec'], (spec) =>
    withFields(spec, field('replicas', inline(replicas(model.options.leaderElection)))),
  );
  return pod(replicated, (spec) =>
    withFields(
      withSecurity(unlessGiven(spec, 'topologySpreadConstraints', userSpread), 'pod', values),
      field('terminationGracePeriodSeconds', inline(`int ${values}.terminationGracePeriodSeconds`)),
      ...given(values, 'imagePullSecrets', 'affinity', 'nodeSelector', 'tolerations'),
      ...additional(given(values, 'topologySpreadConstraints')),
      field(
        'priorityClassName',
        inline(`${values}.priorityClassName | quote`),
        `${values}.priorityClassName`,
      ),
    ),
  );
}

/**
 * Renders fields from values as additional lines. The chart may have a field with the same key,
 * under another condition.
 */
function additional(fields: readonly Field[]): readonly (Field | More)[] {
  return fields.map(({ key, when }) => ({
    more: `dict ${literal(key)} $.Values.manager.${key} | toYaml`,
    when,
  }));
}

/** The number of replicas. High availability means two replicas, or more if a value requests more. */
function replicas(leaderElection: boolean): string {
  const given = 'int $.Values.manager.replicas';
  return leaderElection ? `ternary (max 2 (${given})) (${given}) $.Values.highAvailability` : given;
}

function withMetadata(chart: string, hasFolder: boolean, deployment: Tree): Tree {
  const labelled = changeAt(deployment, ['metadata'], (metadata) =>
    withFields(
      metadata,
      field('labels', labels(include(chart, 'labels'), '$.Values.manager.labels')),
      field(
        'annotations',
        lines('toYaml $.Values.manager.annotations'),
        '$.Values.manager.annotations',
      ),
    ),
  );
  const checksum = field(
    'checksum/files',
    inline(`${include(chart, 'folder')} | sha256sum | quote`),
  );
  return changeAt(labelled, ['spec', 'template', 'metadata'], (metadata) => {
    const marked = changeAt(metadata, ['annotations'], (annotations) =>
      withFields(
        annotations,
        ...(hasFolder ? [checksum] : []),
        more('$.Values.manager.pod.annotations'),
      ),
    );
    return withFields(
      marked,
      field('labels', labels(include(chart, 'selectorLabels'), '$.Values.manager.pod.labels')),
    );
  });
}

/**
 * The labels of the chart, and the labels in a value. The same label cannot be in both: see
 * `checkMap`.
 */
function labels(own: string, values: string): Mapping {
  return { is: 'mapping', fields: [{ more: own, when: [] }, more(values)] };
}

/** Renders the fields of the value `value`, if it has any. */
function more(value: string): More {
  return { more: `toYaml ${value}`, when: [value] };
}

/**
 * Fields that have the same names as the values from which they are rendered. A field is rendered
 * only if its value is set.
 */
export function given(values: string, ...keys: readonly string[]): readonly Field[] {
  return keys.map((key) => field(key, lines(`toYaml ${values}.${key}`), `${values}.${key}`));
}

function unlessGiven(tree: Tree, key: string, value: Condition): Tree {
  if (tree.is !== 'mapping') return tree;
  const fields = tree.fields.map((each) =>
    'more' in each || each.key !== key ? each : { ...each, when: [...each.when, not(value)] },
  );
  return { is: 'mapping', fields };
}

/**
 * Adds to a security context the fields that a value sets. Only fields that the chart does not set
 * are copied, so a value cannot replace fields of the chart.
 */
function withSecurity(tree: Tree, of: 'pod' | 'container', values: string): Tree {
  const value = of === 'pod' ? `${values}.podSecurityContext` : `${values}.securityContext`;
  const names = Object.keys(STRICTER[of]).map(literal).join(' ');
  const picked = `pick (default (dict) ${value}) ${names}`;
  return changeAt(tree, ['securityContext'], (context) =>
    withFields(context, { more: `toYaml (${picked})`, when: [picked] }),
  );
}

/** Adds to a container the values that configure it. */
export function withContainerValues(
  chart: string,
  container: 'gate' | 'manager' | 'proxy',
  tree: Tree,
): Tree {
  const values = `$.Values.${container}`;
  const image = `include ${literal(`${chart}.image`)} ${values}.image | quote`;
  return withFields(
    withSecurity(tree, 'container', values),
    field('image', inline(image)),
    field(
      'imagePullPolicy',
      inline(`${values}.image.pullPolicy | quote`),
      `${values}.image.pullPolicy`,
    ),
    field('resources', lines(`toYaml ${values}.resources`), `${values}.resources`),
  );
}

/** Adds variables from values to the environment of the container `operator`. */
export function withVariables(chart: string, tree: Tree): Tree {
  const isGiven = 'or $.Values.manager.env $.Values.manager.envOverrides';
  return changeAt(tree, ['env'], (env) =>
    withItems(env, { more: include(chart, 'env'), when: [isGiven] }),
  );
}
