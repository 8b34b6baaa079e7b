import { type Caller, userInfo } from '../../auth/user.ts';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Json } from '../../objects/metadata.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

/** The caller of writes that the server makes itself, through its loopback client. */
export const SERVER: Caller = { name: 'system:apiserver', groups: ['system:masters'] };

/**
 * The fields of an `admission.k8s.io` AdmissionRequest, except the uid and the objects. Empty fields are
 * omitted (k8s.io/apiserver, pkg/admission/plugin/webhook/request/admissionreview.go).
 */
export function requestFields(request: AdmissionRequest): Json {
  const { operation, served, requested = served, subresource, namespace, name, writer } = request;
  return {
    kind: kindOf(served, subresource),
    resource: resourceOf(served),
    ...(subresource ? { subResource: subresource } : {}),
    requestKind: kindOf(requested, subresource),
    requestResource: resourceOf(requested),
    ...(subresource ? { requestSubResource: subresource } : {}),
    ...(name === '' ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    operation,
    userInfo: userInfo(writer.caller ?? SERVER),
    dryRun: writer.dryRun,
    options: request.options,
  };
}

function kindOf({ group, version, kind }: ServedResource, subresource: string | undefined): object {
  return subresource === 'scale'
    ? { group: 'autoscaling', version: 'v1', kind: 'Scale' }
    : { group, version, kind };
}

function resourceOf({ group, version, plural }: ServedResource): object {
  return { group, version, resource: plural };
}
