import { type Controller, type Resource, resourceName } from 'chancery';
import { builtInHasStatus, isBuiltInGroup, type RunnableContext } from 'chancery/internal';
import { compositeController } from '../composite-controller.ts';
import type { ConfiguredHooks, SharedParts } from '../controller-parts.ts';
import { type DecoratedResource, decoratorControllers } from '../decorator-controller.ts';
import type { CompositeSpec, ControllerSpec, DecoratorSpec, ResourceReference } from '../spec.ts';
import { readStatusFields } from './parent-facts.ts';
import type { ServedResources } from './served-resources.ts';
import { StartError } from './trouble.ts';

export interface BuildSurroundings {
  readonly context: RunnableContext;
  readonly served: ServedResources;
  readonly hooks: ConfiguredHooks;
  readonly shared: SharedParts;
}

/**
 * Creates the controllers that an object declares, for the resources that the API server currently
 * serves.
 *
 * @throws StartError when the controllers cannot be started in the current state of the cluster;
 * ConfigurationError `CONFIG` when they can never be started.
 */
export async function buildControllers(
  spec: ControllerSpec,
  surroundings: BuildSurroundings,
  signal: AbortSignal,
): Promise<readonly Controller[]> {
  if (surroundings.hooks.sync === undefined) {
    throw new StartError(
      'NoHook',
      'there is no sync hook: give the object a webhook, or name a function with --functions',
    );
  }
  return spec.kind === 'CompositeController'
    ? [await buildComposite(spec, surroundings, signal)]
    : buildDecorator(spec, surroundings, signal);
}

async function buildComposite(
  spec: CompositeSpec,
  { context, served, hooks, shared }: BuildSurroundings,
  signal: AbortSignal,
): Promise<Controller> {
  const parent = await served.need(spec.parent, 'ParentNotServed', signal);
  if (isBuiltInGroup(parent)) {
    throw new StartError('InvalidParent', `${resourceName(parent)} is no custom resource`);
  }
  if (!(await context.hasSubresource(parent, 'status', signal))) {
    throw new StartError(
      'NoStatusSubresource',
      `the definition of ${resourceName(parent)} has no status subresource in ${parent.version}`,
    );
  }
  const children = await needAll(spec.children, served, signal);
  const statusFields = await readStatusFields(parent, context, signal);
  return compositeController({ spec, parent, children, hooks, statusFields }, shared);
}

async function buildDecorator(
  spec: DecoratorSpec,
  { context, served, hooks, shared }: BuildSurroundings,
  signal: AbortSignal,
): Promise<readonly Controller[]> {
  const resources: DecoratedResource[] = [];
  for (const reference of spec.resources) {
    const resource = await served.need(reference, 'ParentNotServed', signal);
    const hasStatusSubresource =
      builtInHasStatus(resource) ?? (await context.hasSubresource(resource, 'status', signal));
    const statusFields = await readStatusFields(resource, context, signal);
    resources.push({ resource, hasStatusSubresource, statusFields });
  }
  const attachments = await needAll(spec.attachments, served, signal);
  return decoratorControllers({ spec, resources, attachments, hooks }, shared);
}

async function needAll(
  references: readonly ResourceReference[],
  served: ServedResources,
  signal: AbortSignal,
): Promise<readonly Resource[]> {
  const found: Resource[] = [];
  for (const each of references) found.push(await served.need(each, 'ChildNotServed', signal));
  return found;
}
