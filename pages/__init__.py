"""One file per lesson; each offers one public function `render`."""
