import {
  ConfigurationError,
  defineResource,
  type KubernetesObject,
  messageOf,
  type Resource,
  source,
} from 'chancery';
import type { ChildType, Mapping as Fields, KnownKinds } from 'chancery/internal';
import { parseController } from '../parse/parse-controller.ts';
import type { ChildTypeSpec, ControllerSpec, HookName } from '../spec.ts';

/** One child of a request, with its resource. */
export interface ObservedChild {
  readonly resource: Resource;
  readonly object: KubernetesObject;
}

/** A recorded request to a hook of Metacontroller's contract. */
export interface FunctionRequest {
  /** The JSON as it was recorded. */
  readonly value: Fields;
  readonly spec: ControllerSpec;
  readonly hook: HookName;
  readonly parent: KubernetesObject;
  /** The declared types of children or attachments in the request. */
  readonly types: readonly ChildType[];
  readonly observed: readonly ObservedChild[];
}

/**
 * Parses a recorded request. The fields of the request tell for which hook it is.
 *
 * @throws ConfigurationError `CONFIG` with the invalid field.
 */
export function functionRequest(value: Fields, known: KnownKinds): FunctionRequest {
  const spec = controllerIn(value);
  const isDecorator = spec.kind === 'DecoratorController';
  const list = isDecorator ? 'attachments' : 'children';
  const hook = hookOf(value, list);
  const field = isDecorator && hook !== 'customize' ? 'object' : 'parent';
  const parent = objectIn(value[field], field);
  const children = hook === 'customize' ? {} : mapIn(value[list], list);
  const rules = isDecorator ? spec.attachments : spec.children;
  const types = Object.keys(children).map((type) => typeOf(type, `${list}.${type}`, rules, known));
  const observed = Object.entries(children).flatMap(([type, objects], at) =>
    Object.entries(mapIn(objects, `${list}.${type}`)).map(([key, object]) => ({
      resource: (types[at] as ChildType).resource,
      object: objectIn(object, `${list}.${type}.${key}`),
    })),
  );
  return { value, spec, hook, parent, types, observed };
}

function controllerIn({ controller }: Fields): ControllerSpec {
  try {
    return parseController(objectIn(controller, 'controller'));
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError(`the request's controller is unusable: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function hookOf(value: Fields, list: string): HookName {
  if (!(list in value) && !('finalizing' in value)) return 'customize';
  return value.finalizing === true ? 'finalize' : 'sync';
}

/** @param type - the type as it is written in requests: `Deployment.apps/v1`. */
function typeOf(
  type: string,
  place: string,
  rules: readonly ChildTypeSpec[],
  known: KnownKinds,
): ChildType {
  const [, kind, group = '', version] = /^([^.]+)\.(?:([^/]+)\/)?([^/]+)$/.exec(type) ?? [];
  if (kind === undefined || version === undefined) {
    throw new ConfigurationError(
      `the request's ${place} is no type: expected a key such as Deployment.apps/v1`,
    );
  }
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const found = known(kind, apiVersion);
  // Without a definition, the plural is guessed by the usual rules: policy, policies.
  const stem = kind.toLowerCase().replace(/y$/, '');
  const rule = rules.find(
    (each) =>
      each.apiVersion === apiVersion &&
      (found === undefined ? each.resource.startsWith(stem) : each.resource === found.plural),
  );
  const plural = rule?.resource ?? `${kind.toLowerCase()}s`;
  const resource = found ?? defineResource({ group, version, kind, plural, namespaced: true });
  const { update = 'keep', statusChecks = [] } = rule ?? {};
  return { resource, update, statusChecks, source: source(resource) };
}

function mapIn(value: unknown, place: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new ConfigurationError(`the request's ${place} must be an object`);
}

function objectIn(value: unknown, place: string): KubernetesObject {
  const { kind, metadata } = mapIn(value, place);
  const { name } = mapIn(metadata, `${place}.metadata`);
  if (typeof kind === 'string' && typeof name === 'string') return value as KubernetesObject;
  throw new ConfigurationError(
    `the request's ${place} must be a whole object, with kind and metadata.name`,
  );
}
