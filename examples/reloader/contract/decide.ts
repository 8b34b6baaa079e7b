/** (resource, workload) → does a change of the resource restart the workload, and by which rule. */
import type { coreV1 } from 'chancery/kubernetes';
import {
  type AnnotationNames,
  type Annotations,
  annotationOf,
  type Problem,
} from './annotations.ts';
import { parseGoBoolean } from './go-words.ts';
import type { NamedList } from './patterns.ts';
import { firstContainer, type References, referencesOf } from './references.ts';
import { type ResourceRef, refKey } from './resource-type.ts';
import { ALL_LISTS, type WorkloadLists } from './workload-lists.ts';

/** The kinds of workloads, as metrics and Events name them. */
export type WorkloadKindName =
  | 'Deployment'
  | 'StatefulSet'
  | 'DaemonSet'
  | 'CronJob'
  | 'Job'
  | 'Rollout';

/** Each rule with its sentence, for `explain`. The first that applies decides. */
export const RULES = {
  'kind-ignored': 'the flag --ignored-workload-types takes this kind of workload out',
  'resource-ignored': 'the resource has the ignore annotation',
  excluded: 'the exclude annotation of the workload names the resource',
  named:
    'the reload annotation of the workload names the resource, and the Pod template references it',
  'named-unreferenced':
    'the reload annotation of the workload names the resource; the Pod template does not reference it, so the first container is marked',
  search:
    'the workload has the search annotation, the resource has the match annotation, and the Pod template references it',
  auto: 'the auto annotation is true, and the Pod template references the resource',
  'typed-auto':
    'the auto annotation for this type is true, and the Pod template references the resource',
  'auto-reload-all':
    'the flag --auto-reload-all is set, no auto annotation says otherwise, and the Pod template references the resource',
  unreferenced:
    'the workload reloads automatically, but its Pod template does not reference the resource',
  'auto-off': 'an auto annotation has a value that is not true',
  'no-rule': 'no annotation of the workload asks for a reload because of the resource',
} as const;

/** Name of a rule. */
export type Rule = keyof typeof RULES;

/** The resource whose change is looked at. */
export interface ResourceView extends ResourceRef {
  readonly annotations: Annotations;
}

/** The workload as far as the decision needs it. */
export interface WorkloadView {
  readonly kind: WorkloadKindName;
  /** Annotations of the metadata of the workload. */
  readonly annotations: Annotations;
  /** Annotations of the Pod template; for a CronJob of `jobTemplate.spec.template`. */
  readonly templateAnnotations: Annotations;
  readonly podSpec: coreV1.PodSpec;
}

/** The options that the decision depends on. */
export interface DecideOptions {
  readonly autoReloadAll: boolean;
  readonly ignoredKinds: ReadonlySet<WorkloadKindName>;
  readonly annotations: AnnotationNames;
}

/** Whether a change restarts the workload. */
export interface Decision {
  readonly reload: boolean;
  readonly rule: Rule;
  /** True for search, auto and `--auto-reload-all`; false for a named list, and without a reload. */
  readonly auto: boolean;
  /** The app container to mark. Undefined without a reload, and when the template has no container. */
  readonly container: string | undefined;
  /**
   * Values of the workload's annotations that cannot be used, for the type of this resource: the same for every
   * resource of the type, whatever the decision. Empty for the rules before the annotations are read. A resource
   * without a name can be asked about, to learn the problems when there is no resource.
   */
  readonly problems: readonly Problem[];
}

/** Templates are read-only, and the same one is asked about for every resource of its namespace. */
const REFERENCES = new WeakMap<coreV1.PodSpec, References>();

function references(podSpec: coreV1.PodSpec): References {
  let known = REFERENCES.get(podSpec);
  if (known === undefined) {
    known = referencesOf(podSpec);
    REFERENCES.set(podSpec, known);
  }
  return known;
}

/**
 * Decides by the rules of the original, in its order. Two things differ, on purpose: every volume of a resource
 * is looked at (`referencesOf`), and an exclude list on the Pod template counts when the other annotations are
 * read there.
 *
 * A resource without a reference is only reloaded by name; then the first container is marked. The named list is
 * also compiled when nothing matches, so that its problems are known.
 *
 * @param lists - where the lists of the workload are read. Default: each is read for every call.
 */
export function decide(
  resource: ResourceView,
  workload: WorkloadView,
  options: DecideOptions,
  lists: WorkloadLists = ALL_LISTS,
): Decision {
  const names = options.annotations;
  if (options.ignoredKinds.has(workload.kind)) return no('kind-ignored');
  if (annotationOf(resource.annotations, names.ignore) === 'true') return no('resource-ignored');

  const chosen = annotationsFor(resource, workload, names);
  if (isExcluded(resource, workload, chosen, options, lists)) return no('excluded');

  const value = (key: string): string => annotationOf(chosen, key) ?? '';
  const reference = references(workload.podSpec).get(refKey(resource));
  const list = lists.named(value(names.reload[resource.type]));
  const problems = problemsOf(resource, value, list, names);
  if (list.matches(resource.name)) {
    const container = reference?.container ?? firstContainer(workload.podSpec);
    const rule = reference === undefined ? 'named-unreferenced' : 'named';
    return { reload: true, rule, auto: false, container, problems };
  }

  const rule = automaticRule(resource, value, options);
  if (rule === 'auto-off' || rule === 'no-rule') return no(rule, problems);
  if (reference === undefined) return no('unreferenced', problems);
  return { reload: true, rule, auto: true, container: reference.container, problems };
}

function no(rule: Rule, problems: readonly Problem[] = []): Decision {
  return { reload: false, rule, auto: false, container: undefined, problems };
}

function automaticRule(
  resource: ResourceView,
  value: (key: string) => string,
  { annotations: names, autoReloadAll }: DecideOptions,
): 'search' | 'auto' | 'typed-auto' | 'auto-reload-all' | 'auto-off' | 'no-rule' {
  const matches = annotationOf(resource.annotations, names.match) === 'true';
  if (matches && value(names.search) === 'true') return 'search';
  const auto = value(names.auto);
  const typed = value(names.typedAuto[resource.type]);
  if (parseGoBoolean(auto) === true) return 'auto';
  if (parseGoBoolean(typed) === true) return 'typed-auto';
  if (auto !== '' || typed !== '') return 'auto-off';
  return autoReloadAll ? 'auto-reload-all' : 'no-rule';
}

/**
 * The annotations of the workload if its metadata has one of the four keys for this type, whatever its value;
 * otherwise those of the Pod template. They are never mixed.
 */
function annotationsFor(
  { type }: ResourceRef,
  { annotations, templateAnnotations }: WorkloadView,
  names: AnnotationNames,
): Annotations {
  const keys = [names.reload[type], names.search, names.auto, names.typedAuto[type]];
  const has = keys.some((key) => annotationOf(annotations, key) !== undefined);
  return has ? annotations : templateAnnotations;
}

function isExcluded(
  { type, name }: ResourceRef,
  { annotations }: WorkloadView,
  chosen: Annotations,
  { annotations: { exclude } }: DecideOptions,
  lists: WorkloadLists,
): boolean {
  return [annotations, chosen].some((each) => {
    const value = annotationOf(each, exclude[type]);
    return value !== undefined && lists.excluded(value).has(name);
  });
}

/** What cannot be used of the annotations that were read. An unusable value counts as not true. */
function problemsOf(
  { type }: ResourceRef,
  value: (key: string) => string,
  list: NamedList,
  names: AnnotationNames,
): readonly Problem[] {
  const problems = list.problems.map((message) => ({ annotation: names.reload[type], message }));
  for (const annotation of [names.auto, names.typedAuto[type]]) {
    const text = value(annotation);
    if (text === '' || parseGoBoolean(text) !== undefined) continue;
    problems.push({ annotation, message: `must be true or false, not ${quoted(text)}` });
  }
  const search = value(names.search);
  if (search !== '' && search !== 'true' && parseGoBoolean(search) !== false) {
    const message = `must be exactly true, or false, not ${quoted(search)}`;
    problems.push({ annotation: names.search, message });
  }
  return problems;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
