import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

// Vue leaves the element to the browser.
export default defineConfig({
  plugins: [vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'svc-uploader' } } })],
});
