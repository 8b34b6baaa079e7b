import type { KubernetesObject } from 'chancery';
import {
  apiVersionOf,
  type DefinedResource,
  newObjectProblems,
  storedForm,
  UNLIMITED,
  withoutValues,
} from 'chancery/internal';
import type {
  CompositeController,
  DecoratorController,
  SharedSpecFields,
} from '../definitions/controller-object.ts';
import { compositeControllers, decoratorControllers } from '../definitions/resources.ts';
import type { CompositeSpec, ControllerSpec, DecoratorSpec, HookName, HookSpec } from '../spec.ts';
import { refuse, shown } from './invalid-spec.ts';
import { parseChildTypes, withoutRolling } from './parse-child-types.ts';
import { groupAndVersion, parseReference, parseRelated } from './parse-reference.ts';
import { parseAnnotationSelector, parseLabelSelector } from './parse-selectors.ts';
import { parseWebhook } from './parse-webhook.ts';

export { InvalidSpecError } from './invalid-spec.ts';

/**
 * A CompositeController or a DecoratorController, checked and with all defaults. Objects that were
 * stored under an older definition, without these defaults, are accepted as well.
 *
 * @throws InvalidSpecError for the first invalid field.
 */
export function parseController(object: KubernetesObject): ControllerSpec {
  const apiVersion = apiVersionOf(compositeControllers);
  if (object.apiVersion !== apiVersion) refuse('apiVersion', `expected ${apiVersion}`);
  switch (object.kind) {
    case compositeControllers.kind:
      return compositeSpec(complete(object, compositeControllers));
    case decoratorControllers.kind:
      return decoratorSpec(complete(object, decoratorControllers));
    default:
      return refuse('kind', 'expected CompositeController or DecoratorController');
  }
}

/** The object as the API server would store it with the definition, without its status. */
function complete<T extends KubernetesObject>(
  { status: _, ...object }: KubernetesObject & { readonly status?: unknown },
  { definition }: DefinedResource<T>,
): T {
  const schema = definition.spec.versions[0]?.schema.openAPIV3Schema ?? {};
  const causes = newObjectProblems(object, { schema, scaled: [] });
  // The message is used in logs and Events, so it must contain no values.
  const [cause] = withoutValues({ details: { causes } }, 422).details.causes;
  if (cause !== undefined) refuse(cause.field, cause.message);
  const result = storedForm(object, schema, UNLIMITED) as T;
  const name: unknown = result.metadata.name;
  if (typeof name !== 'string' || name === '') refuse('metadata.name', 'is required');
  return result;
}

function compositeSpec(object: CompositeController): CompositeSpec {
  const { parentResource, childResources, generateSelector = false } = object.spec;
  const { labelSelector, revisionHistory, ignoreStatusChanges = false } = parentResource;
  const path = 'spec.parentResource';
  return {
    kind: 'CompositeController',
    ...shared(object),
    parent: {
      ...parseReference(parentResource, path),
      labelSelector: parseLabelSelector(labelSelector, `${path}.labelSelector`),
      revisionFieldPaths: fieldPaths(revisionHistory?.fieldPaths, `${path}.revisionHistory`),
      ignoreStatusChanges,
    },
    children: parseChildTypes(childResources, 'spec.childResources'),
    generateSelector,
  };
}

/** The paths of a revision. An empty list counts as missing. */
function fieldPaths(paths: readonly string[] | undefined, path: string): readonly string[] {
  for (const [at, text] of (paths ?? []).entries()) {
    if (text.split('.').includes('')) {
      refuse(`${path}.fieldPaths[${at}]`, `expected names joined by dots, got ${shown(text)}`);
    }
  }
  return paths === undefined || paths.length === 0 ? ['spec'] : paths;
}

function decoratorSpec(object: DecoratorController): DecoratorSpec {
  const { resources, attachments } = object.spec;
  return {
    kind: 'DecoratorController',
    ...shared(object),
    resources: decoratedResources(resources),
    attachments: withoutRolling(parseChildTypes(attachments, 'spec.attachments')),
  };
}

function decoratedResources(
  resources: DecoratorController['spec']['resources'],
): DecoratorSpec['resources'] {
  const known = new Set<string>();
  return resources.map((each, at) => {
    const path = `spec.resources[${at}]`;
    const reference = parseReference(each, path);
    const [group] = groupAndVersion(reference.apiVersion);
    const identity = `${group}/${reference.resource}`;
    if (known.has(identity)) refuse(path, `${reference.resource} stands there twice`);
    known.add(identity);
    const { labelSelector, annotationSelector, ignoreStatusChanges = false } = each;
    return {
      ...reference,
      labelSelector: parseLabelSelector(labelSelector, `${path}.labelSelector`),
      annotationSelector: parseAnnotationSelector(annotationSelector, `${path}.annotationSelector`),
      ignoreStatusChanges,
    };
  });
}

/** The members of the result that are the same for CompositeControllers and DecoratorControllers. */
function shared(object: CompositeController | DecoratorController) {
  const { resyncPeriodSeconds } = object.spec;
  return {
    name: object.metadata.name,
    uid: object.metadata.uid ?? '',
    object,
    resyncPeriodMs:
      resyncPeriodSeconds === undefined ? undefined : Math.max(1, resyncPeriodSeconds) * 1_000,
    hooks: parseHooks(object.spec),
    relatedResources: parseRelated(object),
  };
}

const HOOK_NAMES: readonly HookName[] = ['sync', 'finalize', 'customize'];

function parseHooks({
  hooks = {},
  endpointConfigs = [],
}: SharedSpecFields): Readonly<Partial<Record<HookName, HookSpec>>> {
  const parsed = HOOK_NAMES.flatMap((name): readonly (readonly [HookName, HookSpec])[] => {
    const hook = hooks[name];
    if (hook === undefined) return [];
    const { version, webhook } = hook;
    const path = `spec.hooks.${name}.webhook`;
    const answers = webhook?.responseUnMarshallMode ?? (version === 'v2' ? 'strict' : 'loose');
    const called = webhook === undefined ? undefined : parseWebhook(webhook, path, endpointConfigs);
    return [[name, { version, answers, webhook: called }]];
  });
  return Object.fromEntries(parsed);
}
