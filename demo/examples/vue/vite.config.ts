import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

// Tells Vue that `svc-uploader` is a custom element and not a component.
export default defineConfig({
  plugins: [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'svc-uploader' } } })],
});
