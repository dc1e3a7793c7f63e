TARGET = build
ifdef ALL
TARGET = scratch
endif
define wipe_all
rm -f notes.md
rm -rf scratch
endef
.PHONY: build clean purge wipe
build:
	@mkdir -p build
clean:
	rm -rf $(TARGET)
purge:
	rm -rf scratch
wipe:
	$(wipe_all)
