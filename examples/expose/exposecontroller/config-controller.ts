import {
  AWAIT_CHANGE,
  configMaps,
  controller,
  enqueueMapped,
  keyOf,
  objectKey,
  type Result,
  services,
  source,
} from 'chancery';
import { configFor, isConfigMap } from './config.ts';
import { ingressesToReview } from './ingress-controller.ts';
import { servicesToReview } from './service-controller.ts';
import { ingressNameOf } from './service-wish.ts';

/** When the configuration changes, every Service and every Ingress is looked at again. */
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
    const all = store(services).list();
    servicesToReview.send(all.map(keyOf));
    ingressesToReview.send(
      all.map((service) => objectKey(service.metadata.namespace, ingressNameOf(service))),
    );
    return AWAIT_CHANGE;
  },
});
