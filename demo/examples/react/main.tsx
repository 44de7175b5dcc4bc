import { createRoot } from 'react-dom/client';
import { Attachments } from './Attachments.tsx';

createRoot(document.getElementById('app')!).render(<Attachments />);
