import type { PolicyRule, RoleRef, Subject } from '../../model/kubernetes/rbac-v1.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { homeOf } from './accepted.ts';
import type { Installation } from './installation.ts';

/** A binding that gives the operator's account something, with what it gives. */
export interface Grant {
  /** `Kind/name` of the binding. */
  readonly binding: string;
  readonly subjects: readonly Subject[];
  /** `Kind/name` of the role. */
  readonly role: string;
  /** Undefined for the whole cluster. */
  readonly namespace: string | undefined;
  /** Undefined when the role was not rendered along. */
  readonly rules: readonly PolicyRule[] | undefined;
}

interface Binding extends KubernetesObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | null;
}

/** Everything that was rendered and gives a right to the account of this Pod. */
export function grantsOf(installation: Installation): readonly Grant[] {
  const home = homeOf(installation);
  return installation.objects
    .filter(isBinding)
    .filter(({ subjects }) => (subjects ?? []).some((each) => isOwnAccount(each, installation)))
    .map(({ kind, metadata, roleRef, subjects }) => {
      const place = kind === 'ClusterRoleBinding' ? undefined : (metadata.namespace ?? home);
      return {
        binding: `${kind}/${metadata.name}`,
        subjects: subjects ?? [],
        role: `${roleRef.kind}/${roleRef.name}`,
        namespace: place,
        rules: rulesOf(roleRef, place, installation),
      };
    });
}

/** Whether a subject is the ServiceAccount of the Pod, and nobody else. */
export function isOwnAccount(subject: Subject, installation: Installation): boolean {
  const { pod, namespace } = installation;
  const home = homeOf(installation);
  return (
    subject.kind === 'ServiceAccount' &&
    subject.name === pod.serviceAccountName &&
    (namespace === undefined || (subject.namespace ?? home) === home)
  );
}

function rulesOf(
  { kind, name }: RoleRef,
  place: string | undefined,
  installation: Installation,
): readonly PolicyRule[] | undefined {
  const role = installation.objects.find(
    (object) =>
      object.kind === kind &&
      object.metadata.name === name &&
      (kind === 'ClusterRole' || (object.metadata.namespace ?? homeOf(installation)) === place),
  );
  return role === undefined ? undefined : ((role as { rules?: PolicyRule[] | null }).rules ?? []);
}

function isBinding(object: KubernetesObject): object is Binding {
  return object.kind === 'RoleBinding' || object.kind === 'ClusterRoleBinding';
}
