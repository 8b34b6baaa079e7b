import type { KubernetesObject } from 'chancery';
import {
  type CustomResourceDefinition,
  type DefinedResource,
  isMapping,
  shortestWay,
} from 'chancery/internal';
import { refuse } from '../config/fields.ts';
import type { ConversionBinding, Hook } from '../hook.ts';
import { type ConversionStep, convertedByHook, notConverted } from './converted-by-hook.ts';
import type { AskReview } from './hook-reviews.ts';

/** A custom resource, and the conversion steps of hooks for its objects. */
export interface HookConvertedResource extends DefinedResource {
  readonly steps: readonly ConversionStep[];
}

/**
 * The custom resources whose objects hooks convert, each with its definition. With this definition,
 * manifests configure the API server to call the webhook. A conversion takes the fewest steps,
 * which may belong to several hooks.
 *
 * @param definitions - parsed CustomResourceDefinitions.
 * @throws ConfigurationError `CONFIG` in the same cases as `requireConvertible`.
 */
export function hookConversions(
  hooks: readonly Hook[],
  definitions: readonly unknown[],
  ask: AskReview,
): readonly HookConvertedResource[] {
  const steps = new Map<string, ConversionStep[]>();
  const found = new Map<string, CustomResourceDefinition>();
  for (const hook of hooks) {
    for (const binding of hook.config.conversions) {
      const definition = requireConvertible(binding, definitions);
      const { crdName } = binding;
      found.set(crdName, definition);
      steps.set(crdName, [...(steps.get(crdName) ?? []), ...stepsOf(hook, binding)]);
    }
  }
  return [...found].map(([name, definition]) =>
    convertedResource(definition, steps.get(name) ?? [], ask),
  );
}

/**
 * The definition to which a binding belongs.
 *
 * @throws ConfigurationError `CONFIG` when the definition is not known, or has another group or
 * other versions. The message begins with the path.
 */
export function requireConvertible(
  { crdName, path, steps }: ConversionBinding,
  definitions: readonly unknown[],
): CustomResourceDefinition {
  const definition = definitions.find((each) => isDefinition(each, crdName));
  if (definition === undefined) {
    return refuse(
      `${path}.crdName`,
      `the definition ${crdName} is not known: put its CustomResourceDefinition into the folder crds of the hooks, or ` +
        'name its file with --crd',
    );
  }
  const { group, versions } = (definition as CustomResourceDefinition).spec;
  const names = versions.map(({ name }) => name);
  for (const [at, step] of steps.entries()) {
    for (const field of ['fromVersion', 'toVersion'] as const) {
      const text = step[field];
      const isOfGroup = !text.includes('/') || text.startsWith(`${group}/`);
      if (isOfGroup && names.includes(versionIn(text))) continue;
      const known = names.map((name) => `${group}/${name}`).join(', ');
      refuse(`${path}.conversions[${at}].${field}`, `${crdName} has no version ${text}: ${known}`);
    }
  }
  return definition as CustomResourceDefinition;
}

/** True for a definition of this name that has all fields that this file reads. */
function isDefinition(document: unknown, name: string): boolean {
  if (!isMapping(document) || document.kind !== 'CustomResourceDefinition') return false;
  const { metadata, spec } = document;
  if (!isMapping(metadata) || metadata.name !== name || !isMapping(spec)) return false;
  const { group, names, versions } = spec;
  const isNamed = isMapping(names) && name === `${names.plural}.${group}`;
  const isVersion = (each: unknown): boolean => isMapping(each) && typeof each.name === 'string';
  const hasVersions = Array.isArray(versions) && versions.every(isVersion);
  return isNamed && typeof names.kind === 'string' && hasVersions;
}

/**
 * Warnings for conversions that the API server needs and that no hook has, one line each. Clients
 * read and write stored objects in each served version.
 */
export function missingConversions(resources: readonly HookConvertedResource[]): readonly string[] {
  return resources.flatMap(({ definition, steps, version: stored }) => {
    const { name } = definition.metadata;
    const served = definition.spec.versions.filter((each) => each.served !== false);
    return served.flatMap(({ name: other }) =>
      [
        [stored, other],
        [other, stored],
      ].flatMap(([from = '', to = '']) =>
        from === to || wayOf(steps, from, to).length > 0
          ? []
          : [`no hook converts ${name} from ${from} to ${to}, and clients may ask for it`],
      ),
    );
  });
}

function wayOf(
  steps: readonly ConversionStep[],
  from: string,
  to: string,
): readonly ConversionStep[] {
  return shortestWay((at) => steps.filter((each) => each.from === at), from, to);
}

function stepsOf(hook: Hook, binding: ConversionBinding): readonly ConversionStep[] {
  return binding.steps.map(({ fromVersion, toVersion }) => ({
    ...{ hook, binding, fromVersion, toVersion },
    from: versionIn(fromVersion),
    to: versionIn(toVersion),
  }));
}

/** The version without its group: `v1` for `example.com/v1`. */
function versionIn(text: string): string {
  return text.slice(text.indexOf('/') + 1);
}

function convertedResource(
  definition: CustomResourceDefinition,
  steps: readonly ConversionStep[],
  ask: AskReview,
): HookConvertedResource {
  const { group, names, scope, versions } = definition.spec;
  const stored = versions.find(({ storage }) => storage) ?? versions[0];
  const name = definition.metadata.name;
  return {
    ...{ group, version: stored?.name ?? '', plural: names.plural, kind: names.kind },
    namespaced: scope === 'Namespaced',
    definition: asked(definition),
    steps,
    async convertAll(objects, version, { uid, signal }) {
      const all = [...objects];
      const places = Map.groupBy(all.keys(), (at) => versionIn(objects[at]?.apiVersion ?? ''));
      for (const [from, own] of places) {
        const way = wayOf(steps, from, version);
        if (from !== version && way.length === 0) throw notConverted({ from, to: version, name });
        let batch: readonly KubernetesObject[] = own.flatMap((at) => objects[at] ?? []);
        for (const step of way) {
          batch = await convertedByHook(batch, step, { ask, group, uid, signal });
        }
        for (const [index, at] of own.entries()) {
          const object = batch[index];
          if (object !== undefined) all[at] = object;
        }
      }
      return all;
    },
  };
}

/** The definition with conversion by a webhook. The manifests add the address of the webhook. */
function asked(definition: CustomResourceDefinition): CustomResourceDefinition {
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: {} };
  const conversion = { strategy: 'Webhook' as const, webhook };
  return { ...definition, spec: { ...definition.spec, conversion, preserveUnknownFields: false } };
}
