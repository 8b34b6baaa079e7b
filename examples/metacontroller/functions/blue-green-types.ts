/** The custom resource of blue-green.ts, and what it reads of its children. */
import type { KubernetesObject, LabelSelector } from 'chancery';

export interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
}

export interface BlueGreenDeployment extends KubernetesObject {
  readonly spec: {
    readonly replicas: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly service: {
      readonly metadata: { readonly name: string };
      readonly spec: { readonly selector?: Readonly<Record<string, string>> };
    };
  };
}

export interface ReplicaSet extends KubernetesObject {
  readonly spec: { readonly replicas: number };
  readonly status?: { readonly replicas?: number; readonly availableReplicas?: number };
}

export interface Service extends KubernetesObject {
  readonly spec: { readonly selector?: Readonly<Record<string, string>> };
}
