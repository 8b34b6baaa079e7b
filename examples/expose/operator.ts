import { exposeByAnnotation } from './annotation/controller.ts';
import { configController } from './exposecontroller/config-controller.ts';
import { ingressController } from './exposecontroller/ingress-controller.ts';
import { serviceController } from './exposecontroller/service-controller.ts';

/** The shell controller's annotation, and the labels and annotations of jenkins-x/exposecontroller. */
export default [exposeByAnnotation, configController, ingressController, serviceController];
