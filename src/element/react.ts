'use client';

import { createComponent } from '@lit/react';
import * as React from 'react';
import type { FormElement } from './form/form-element.js';
import type { UploaderAttributes } from './attributes.js';
import { SvcUploader as UploaderElement } from './svc-uploader.js';
import type { SvcUploaderEvents } from './events.js';
import { register } from './register.js';

type PascalCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Capitalize<Head>}${PascalCase<Tail>}`
  : Capitalize<Name>;
type Handler<E extends Event> = ((event: E & { readonly currentTarget: UploaderElement }) => void) | undefined;

interface NativeEvents {
  input: Event;
  change: Event;
  cancel: Event;
  invalid: Event;
}
type Events = NativeEvents & SvcUploaderEvents;

/** Props for events: `onSvcUploadSuccess` listens to `svc-upload-success`, and so on. The events are DOM events, not React events. */
export type SvcUploaderHandlers = { [K in keyof Events as `on${PascalCase<K>}`]?: Handler<Events[K]> };

type FormProperty = 'name' | 'required' | 'disabled' | 'readOnly' | 'submitWaits';
type SettableProperty = Exclude<keyof UploaderAttributes, keyof FormElement> | FormProperty;
type OwnProps = SvcUploaderHandlers & { [K in SettableProperty]?: UploaderElement[K] | undefined };

/** Props of the component: properties of the element, its events, and the props of every HTML element. */
export type SvcUploaderProps = OwnProps & Omit<React.HTMLAttributes<UploaderElement>, keyof OwnProps>;

const events = {
  onInput: 'input',
  onChange: 'change',
  onCancel: 'cancel',
  onInvalid: 'invalid',
  onSvcFileAdd: 'svc-file-add',
  onSvcFileReject: 'svc-file-reject',
  onSvcUploadStart: 'svc-upload-start',
  onSvcUploadProgress: 'svc-upload-progress',
  onSvcUploadSuccess: 'svc-upload-success',
  onSvcUploadError: 'svc-upload-error',
  onSvcUploadRetry: 'svc-upload-retry',
  onSvcUploadStall: 'svc-upload-stall',
  onSvcComplete: 'svc-complete',
} as const satisfies { [K in keyof Events as `on${PascalCase<K>}`]: K };

register();

type Component = React.ForwardRefExoticComponent<SvcUploaderProps & React.RefAttributes<UploaderElement>>;

const BaseComponent = createComponent({
  react: React,
  tagName: 'svc-uploader',
  elementClass: UploaderElement,
  events,
}) as Component;

/**
 * Suppresses hydration warnings for the input that serves without JavaScript. The element hides and disables the input. In a
 * streamed page that happens before React hydrates it, and React would report both attributes.
 */
const suppressInputWarning = (child: React.ReactNode): React.ReactNode =>
  React.isValidElement<React.InputHTMLAttributes<HTMLInputElement>>(child) && child.type === 'input'
    ? React.cloneElement(child, { suppressHydrationWarning: true })
    : child;

/** Renders `<svc-uploader>`. A ref returns the element. */
export const SvcUploader: Component = React.forwardRef<UploaderElement, SvcUploaderProps>(({ children, ...props }, ref) =>
  React.createElement(BaseComponent, { ...props, ref }, React.Children.map(children, suppressInputWarning)),
);
SvcUploader.displayName = 'SvcUploader';
