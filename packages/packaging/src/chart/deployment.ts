import { COMPONENT_NAMES, type ComponentName, type OperatorModel } from 'chancery/internal';
import { componentCondition } from './conditions.ts';
import { withContainerValues, withPodValues, withVariables } from './deployment-values.ts';
import { include } from './expressions.ts';
import type { OpenModel } from './placeholders.ts';
import { openScopes } from './scopes.ts';
import {
  type Condition,
  changeAt,
  constantAt,
  type Field,
  field,
  type Item,
  inline,
  lines,
  mapping,
  mergeWhen,
  not,
  type Tree,
  treeOf,
  withFields,
} from './tree.ts';

/** The Deployment of a chart. The container `proxy` is a separate tree. */
export interface DeploymentTrees {
  /**
   * The Deployment without the container `proxy`. It includes that container as the named template
   * `proxy`.
   */
  readonly deployment: Tree;
  readonly proxy: Tree;
}

const POD = ['spec', 'template', 'spec'];
const CONTAINERS = [...POD, 'containers'];

/**
 * The components of a chart. Without leader election, the component for high availability is
 * excluded, because two replicas would do everything twice.
 */
export function usedComponents({ options }: OperatorModel): readonly ComponentName[] {
  return COMPONENT_NAMES.filter((name) => options.leaderElection || name !== 'high-availability');
}

/** The Deployment with all changes of components and scopes, each under its condition. */
export function deploymentTrees(chart: string, open: OpenModel): DeploymentTrees {
  const { components, deployment } = open.model;
  const scoped = withScopes(chart, open, treeOf(deployment));
  const merged = usedComponents(open.model)
    .filter((name) => name !== 'native-sidecar')
    .reduce<Tree>(
      (tree, name) =>
        components[name].patches.reduce<Tree>(
          (before, patch) =>
            mergeWhen(before, { spec: patch.spec }, componentCondition(chart, name)),
          tree,
        ),
      scoped,
    );
  const proxy = withSidecar(chart, open, containerOf(merged, 'proxy'));
  const operator = changeAt(merged, [...CONTAINERS, 'operator'], (container) =>
    withVariables(chart, withContainerValues(chart, 'manager', container)),
  );
  const gated =
    open.model.webhooks === undefined
      ? operator
      : changeAt(operator, [...POD, 'initContainers', 'gate'], (container) =>
          withContainerValues(chart, 'gate', container),
        );
  return {
    deployment: withPodValues(chart, open, withProxyIncluded(chart, gated)),
    proxy: withContainerValues(chart, 'proxy', proxy),
  };
}

/**
 * Adds the arguments and variables that depend on the scope. Arguments that are equal in all scopes
 * are written once.
 */
function withScopes(chart: string, open: OpenModel, tree: Tree): Tree {
  const scopes = openScopes(chart, open);
  const [first] = scopes;
  if (first === undefined) throw new Error('an operator has no scope');
  const args = first.model.proxyArguments.flatMap((argument, at): readonly Item[] => {
    const isAlike = scopes.every(({ model }) => model.proxyArguments[at] === argument);
    if (isAlike) return [{ tree: treeOf(argument), when: [] }];
    return scopes.map(({ model, when }) => ({ tree: treeOf(model.proxyArguments[at]), when }));
  });
  const added = COMPONENT_NAMES.flatMap((name) =>
    open.model.components[name].proxyArguments.map((argument) => ({
      tree: treeOf(argument),
      when: [componentCondition(chart, name)],
    })),
  );
  const variables = scopes.map(({ name, model, when }) => ({
    tree:
      name === 'listed'
        ? watchedVariable(chart, model.watchNamespace.name)
        : treeOf(model.watchNamespace),
    when,
  }));
  const opened = changeAt(tree, [...CONTAINERS, 'proxy', 'args'], () => ({
    is: 'sequence',
    items: [...args, ...added],
  }));
  return changeAt(opened, [...CONTAINERS, 'operator', 'env'], (env) => ({
    is: 'sequence',
    items: [...variables, ...(env.is === 'sequence' ? env.items : [])],
  }));
}

function watchedVariable(chart: string, name: string): Tree {
  return mapping(
    field('name', treeOf(name)),
    field('value', inline(`${include(chart, 'watched')} | quote`)),
  );
}

function containerOf(deployment: Tree, name: string): Tree {
  let found: Tree | undefined;
  changeAt(deployment, [...CONTAINERS, name], (container) => {
    found = container;
    return container;
  });
  if (found === undefined) throw new Error(`the Deployment has no container ${name}`);
  return found;
}

/**
 * The container `proxy` with the fields of a native sidecar. The Deployment decides where the
 * container is included.
 */
function withSidecar(chart: string, { model }: OpenModel, proxy: Tree): Tree {
  const condition = componentCondition(chart, 'native-sidecar');
  return model.components['native-sidecar'].patches.reduce<Tree>((tree, patch) => {
    const { initContainers = [] } = (patch.spec.template as { readonly spec: PodPatch }).spec;
    return initContainers.reduce<Tree>((before, each) => mergeWhen(before, each, condition), tree);
  }, proxy);
}

interface PodPatch {
  readonly initContainers?: readonly object[];
}

/**
 * The init containers. The gate is always an init container. If the ambassador is a native sidecar,
 * it comes before the gate.
 */
function initContainers(pod: Tree, proxy: Tree, isSidecar: Condition): readonly Field[] {
  const gate = constantItems(pod, 'initContainers');
  const items = [{ tree: proxy, when: gate.length === 0 ? [] : [isSidecar] }, ...gate];
  const when = gate.length === 0 ? [isSidecar] : [];
  return [field('initContainers', { is: 'sequence', items }, ...when)];
}

function constantItems(tree: Tree, key: string): readonly Item[] {
  const found =
    tree.is === 'mapping'
      ? tree.fields.find((each) => !('more' in each) && each.key === key)
      : undefined;
  if (found === undefined || 'more' in found || found.tree.is !== 'sequence') return [];
  return found.tree.items.filter((item) => 'tree' in item);
}

/**
 * Includes the container `proxy`: a native sidecar among the init containers, otherwise as the
 * first container.
 */
function withProxyIncluded(chart: string, deployment: Tree): Tree {
  const isSidecar = componentCondition(chart, 'native-sidecar');
  const proxy = lines(include(chart, 'proxy'));
  const included = changeAt(deployment, CONTAINERS, (containers) => {
    if (containers.is !== 'sequence') throw new Error('the Deployment has no containers');
    const items = containers.items.map((item) =>
      'tree' in item && constantAt(item.tree, 'name') === 'proxy'
        ? { tree: proxy, when: [not(isSidecar)] }
        : item,
    );
    return { is: 'sequence', items };
  });
  return changeAt(included, ['spec', 'template', 'spec'], (pod) =>
    withFields(pod, ...initContainers(pod, proxy, isSidecar)),
  );
}
