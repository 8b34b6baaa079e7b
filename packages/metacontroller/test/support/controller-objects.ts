import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { InvalidSpecError, parseController } from '../../src/parse/parse-controller.ts';

const API_VERSION = 'metacontroller.k8s.io/v1alpha1';
export const PARENT = { apiVersion: 'mill.example/v1', resource: 'mills' };

export function composite(spec: object = {}, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'CompositeController',
    metadata: { name: 'mills', uid: 'u-1', ...metadata },
    spec: { parentResource: PARENT, ...spec },
  } as KubernetesObject;
}

export function decorator(spec: object = {}): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'DecoratorController',
    metadata: { name: 'gates', uid: 'u-2' },
    spec: { resources: [{ apiVersion: 'apps/v1', resource: 'statefulsets' }], ...spec },
  } as KubernetesObject;
}

export function hooked(webhook: object, spec: object = {}): KubernetesObject {
  return composite({ ...spec, hooks: { sync: { webhook } } });
}

export function refusal(object: KubernetesObject): InvalidSpecError {
  try {
    parseController(object);
  } catch (error) {
    if (error instanceof InvalidSpecError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
