import {
  AWAIT_CHANGE,
  configMaps,
  controller,
  enqueueMapped,
  objectKey,
  type Result,
  services,
  source,
} from 'chancery';
import { configFor, isConfigMap } from './config.ts';
import { ingressesToReview } from './ingress-controller.ts';
import { ingressNameOf } from './service-wish.ts';

/** When the configuration changes, every Ingress is looked at again, be it there or not. */
export const configController = controller({
  name: 'exposecontroller-config',
  for: configMaps,
  predicate: ({ object }) => isConfigMap(object.metadata.name),
  watches: [enqueueMapped(source(services), () => [])], // read only

  async reconcile(_key, configMap, { store, event }): Promise<Result> {
    if (configMap !== undefined) {
      const config = configFor([configMap.metadata.namespace], store(configMaps));
      if (config !== undefined && 'problem' in config) {
        event('Warning', 'InvalidConfig', config.problem);
      }
    }
    const keys = store(services)
      .list()
      .map((service) => objectKey(service.metadata.namespace, ingressNameOf(service)));
    ingressesToReview.send(keys); // after which each has its Services looked at
    return AWAIT_CHANGE;
  },
});
