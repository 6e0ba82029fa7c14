      * INQY ENVIRON for tests: the parameter of the program is the
      * text in IMS_MESSAGE.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AIBTDLI.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DLI-FUNCTION PIC X(4).
       01  AIB          PIC X(4).
       01  IO-AREA.
           05 FILLER    PIC X(128).
           05 APARM     PIC X(32).
       PROCEDURE DIVISION USING DLI-FUNCTION AIB IO-AREA.
           ACCEPT APARM FROM ENVIRONMENT 'IMS_MESSAGE'
           GOBACK.
